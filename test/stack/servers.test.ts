import { Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';

describe('the servers of a test run', () => {
  it('answer at the addresses in the environment', async () => {
    const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS });
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    await connection.close();
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
    expect(Object.keys(customAttributes ?? {})).toEqual(
      expect.arrayContaining(['OperatorId', 'PlayerId', 'GameCode', 'ProviderId', 'GameroundAttention']),
    );

    const client = new MongoClient(process.env.TEST_MONGODB_URI ?? '');
    await client
      .db('stack-test')
      .collection('c')
      .insertOne({ a: 1 }, { writeConcern: { w: 'majority', j: true } });
    await client.close();
  });
});
