import { withPython } from '../sdk-python/python';

/* Both sides of a round with the Python kit alone: the same test as for the TypeScript SDK. */

const pythonKit = (): object => ({
  ...jest.requireActual<object>('../../sdk'),
  ...jest.requireActual<object>('../sdk-python/python-kit'),
});
jest.mock('../../sdk', () => pythonKit());
jest.mock('../sdk/readme', () => pythonKit());

withPython(() => jest.requireActual<object>('./sdk.test'));
