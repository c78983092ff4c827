import { errorObject, ERRORS, refusal, refuse, type ErrorName } from '../../src/domain/errors';

/** The table of docs/interface#error-catalogue, copied by hand. */
const CATALOGUE: [number, ErrorName, number][] = [
  [12, 'GAMEROUNDALREADYSTARTED', 400],
  [15, 'GAMEROUNDNOTSTARTED', 400],
  [16, 'TRANSACTIONCOUNTMISMATCH', 400],
  [33, 'DISCOUNTNOTELIGIBLE', 400],
  [1001, 'SIGNATUREWRONG', 401],
  [1000, 'INVALIDREQUEST', 400],
  [1002, 'REQUESTTOOLARGE', 413],
  [1003, 'RATELIMITEXCEEDED', 429],
  [1004, 'INTERNALERROR', 500],
  [1005, 'NOTFOUND', 404],
  [2000, 'GAMEROUNDNOTACTIVE', 400],
  [2001, 'GAMEROUNDNOTFOUND', 404],
  [2002, 'IDEMPOTENCYMISMATCH', 400],
  [2014, 'GAMEROUNDOPEN', 400],
  [3004, 'DEBITDECLINED', 400],
  [2003, 'PLAYERNOTFOUND', 404],
  [2004, 'GAMENOTFOUND', 404],
  [2005, 'TOKENNOTFOUND', 401],
  [2006, 'TOKENEXPIRED', 401],
  [2007, 'LAUNCHURLSPENT', 401],
  [2008, 'NOTICKETAVAILABLE', 400],
  [2009, 'SPINCOUNTEREXHAUSTED', 400],
  [2010, 'MODENOTALLOWED', 400],
  [2011, 'CREDITALREADYPROCESSED', 400],
  [2012, 'GAMEROUNDCRASHED', 400],
  [2013, 'UNCOLLECTEDAMOUNTTOOLOW', 400],
  [3000, 'WALLETUNAVAILABLE', 502],
  [3001, 'OPERATIONBEINGPROCESSED', 503],
  [3002, 'SERVICEUNAVAILABLE', 503],
  [3003, 'GAMEPROVIDERUNAVAILABLE', 502],
];

describe('the error catalogue', () => {
  it.each(CATALOGUE)('%p is %s with status %p; msg is the name', (id, name, status) => {
    const { errorCode, status: given } = refusal(name);
    expect({ id: errorCode.id, msg: errorCode.msg, status: given }).toEqual({ id, msg: name, status });
    expect(errorCode.clientmsg).toMatch(/\w/);
  });

  it('holds nothing else', () => {
    expect(Object.keys(ERRORS).sort()).toEqual(CATALOGUE.map(([, name]) => name).sort());
  });

  it('the msg of INVALIDREQUEST names the field', () => {
    expect(errorObject('INVALIDREQUEST', 'rngResult.winAmount').msg).toContain('rngResult.winAmount');
  });

  it('is thrown with its refusal', () => {
    const error = refuse('TOKENEXPIRED');
    expect(error).toBeInstanceOf(Error);
    expect(error.refusal).toEqual(refusal('TOKENEXPIRED'));
  });
});
