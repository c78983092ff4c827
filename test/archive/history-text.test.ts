import { eventsToText, historyToText } from '../../src/archive/history-text';

test('a history has one text, whatever the order in which the server returns the entries of a map', () => {
  const events = (names: string[]) => {
    const fields = Object.fromEntries(names.map((name) => [name, {}]));
    const about = { searchAttributes: { indexedFields: fields }, header: { fields }, memo: { fields } };
    return [{ workflowExecutionStartedEventAttributes: about }];
  };
  const [one, other] = [events(['OperatorId', 'Currency']), events(['Currency', 'OperatorId'])];
  const [text] = eventsToText(one);
  expect(eventsToText(other)).toEqual([text]);
  expect(historyToText({ events: other })).toBe(`{"events":[${text}]}`);
  expect(text).toMatch(/"fields":\{"Currency":\{.*?\},"OperatorId":/);
});
