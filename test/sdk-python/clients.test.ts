import { withPython } from './python';

/* The tests of the TypeScript SDK's clients, with the Python kit's clients in their place: both retry and recover alike. */

jest.mock('../../sdk', () => jest.requireActual<object>('./python-kit'));

withPython(() => jest.requireActual<object>('../sdk/clients.test'));
