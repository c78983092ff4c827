import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { createLogger } from '../../src/logging';
import { loadTenants, type Tenants } from '../../src/tenants';
import { decryptSecrets, encryptSecrets } from '../../src/tenants/encryption';
import { operatorOf, parseTenants, warningsOf } from '../../src/tenants/file';

/** An operator, a provider and a game with their settings (docs/interface#tenants-file). */
const example = `{"operators":[{"operatorId":"op1","operatorUrl":"http://127.0.0.1:9001","secrets":["s1"],"autoCloseAfter":"24h",
   "gameRoundReport":true,"walletTimeout":"5s","timestampTolerance":"300s","currencies":{"EUR":1,"JPY":100},
   "gameSettings":{},"profiles":{"jurisdiction-de":{"autoplayEnabled":false}},"repeatableErrorIds":[],"voidsWholeRound":false,"demoBalance":100000}],
 "providers":[{"providerId":"gp1","gameUrl":"http://127.0.0.1:9002","secrets":["s2"],"timestampTolerance":"300s"}],
 "games":[{"gameCode":"demo-slot","providerId":"gp1","name":"Demo Slot","studio":"Sandbox","launchUrl":"http://127.0.0.1:9002/play","serviceRng":true,
   "followUpDebits":false,"resultCallback":false,"historyCallback":false}]}`;

type Content = { operators: Record<string, unknown>[] } & Record<string, Record<string, unknown>[]>;
const changed = (change: (content: Content) => void): string => {
  const content = JSON.parse(example) as Content;
  change(content);
  return JSON.stringify(content);
};

describe('TENANTS_FILE', () => {
  it.each([
    ['tenants.json', '{\n  "operators": [],\n  secret: "s3cret"\n}', 'JSON: line 3, column 3'],
    ['tenants.json', '\ufeff{ "operators": [] "s3cret" }', 'JSON: line 1, column 19'],
    ['tenants.json', '{ "operators": "s3cret in JSON at position 5', 'JSON: line 1, column 45'],
    ['tenants.json', '[s3cret in JSON at position 5', 'JSON'],
    ['tenants.yaml', 'operators:\n  - secrets: [s3cret\nproviders: []', 'YAML: line 3, column 1'],
  ])('%s that is %j names the place of the fault and quotes nothing', (file, text, place) => {
    expect(() => parseTenants(file, text)).toThrow(new RegExp(`is not well-formed ${place}$`));
    expect(() => parseTenants(file, text)).not.toThrow(/s3cret/);
  });

  it('takes all settings of operators, providers and games', () => {
    const { operators, games } = parseTenants('t.json', example);
    expect(operatorOf(operators[0]!)).toEqual({
      operatorId: 'op1',
      operatorUrl: 'http://127.0.0.1:9001',
      secrets: ['s1'],
      autoCloseAfterMs: 86_400_000,
      gameRoundReport: true,
      walletTimeoutMs: 5_000,
      timestampToleranceMs: 300_000,
      currencies: { EUR: 1, JPY: 100 },
      gameSettings: {},
      profiles: { 'jurisdiction-de': { autoplayEnabled: false } },
      repeatableErrorIds: [],
      voidsWholeRound: false,
      strictReplies: false,
      demoBalance: 100_000,
    });
    expect(games[0]).toMatchObject({ gameCode: 'demo-slot', launchUrl: 'http://127.0.0.1:9002/play' });
  });

  it('may be YAML', () => {
    const yaml = [
      'operators:',
      '  - {operatorId: op1, operatorUrl: "https://op.example", secrets: [s1], currencies: {EUR: 1}}',
    ];
    expect(parseTenants('t.yaml', yaml.join('\n')).operators[0]).toMatchObject({
      autoCloseAfter: '24h',
      walletTimeout: '5s',
    });
  });

  it.each([
    [
      'an unknown key by its name',
      (c: Content) => (c.operators[0]!.autoCloseAfterr = '1h'),
      /"autoCloseAfterr"/,
    ],
    ['an unknown setting', (c: Content) => (c.operators[0]!.gameSettings = { autoplay: true }), /"autoplay"/],
    [
      'a setting of another type',
      (c: Content) => (c.operators[0]!.gameSettings = { maxStake: '1' }),
      /maxStake/,
    ],
    ['an unknown list', (c: Content) => (c.players = []), /"players"/],
    ['ftp', (c: Content) => (c.operators[0]!.operatorUrl = 'ftp://x'), /operatorUrl/],
    ['javascript:', (c: Content) => (c.providers![0]!.gameUrl = 'javascript:alert(1)'), /gameUrl/],
    ['no secret', (c: Content) => (c.operators[0]!.secrets = []), /secrets/],
    ['#', (c: Content) => (c.operators[0]!.operatorId = 'a#b'), /operatorId/],
    ['a duration without unit', (c: Content) => (c.operators[0]!.walletTimeout = '5'), /walletTimeout/],
    ['a multiplier of 0', (c: Content) => (c.operators[0]!.currencies = { EUR: 0 }), /currencies/],
    ['an id twice', (c: Content) => c.operators.push(c.operators[0]!), /operators\.1\.operatorId/],
    ['a game of nobody', (c: Content) => (c.games![0]!.providerId = 'gp9'), /games\.0\.providerId/],
  ])('refuses %s', (_what, change, message) => {
    expect(() => parseTenants('t.json', changed(change))).toThrow(message);
  });

  describe.each([
    ['operators.0.operatorUrl', (c: Content, url: string) => (c.operators[0]!.operatorUrl = url)],
    ['providers.0.gameUrl', (c: Content, url: string) => (c.providers![0]!.gameUrl = url)],
  ])('%s, which paths are appended to', (place, set) => {
    const parse = (url: string) =>
      parseTenants(
        't.json',
        changed((content) => set(content, url)),
      );

    it.each([
      'http://x.example?a=1',
      'http://x.example/wallet?',
      'http://x.example/wallet#top',
      'http://x.example/#',
      'http://user:pass@x.example/',
      'http://user@x.example/',
      'http://x.example/wallet ',
      'http://x.example/wal\nlet',
    ])('is refused by name as %j, and not repeated', (url) => {
      expect(() => parse(url)).toThrow(new RegExp(`${place}: (?!.*x\\.example)`));
    });

    it.each(['http://x.example', 'https://x.example:8443/a/b/', 'http://[::1]:9001/@home/%20/'])(
      'is taken as %j',
      (url) => expect(() => parse(url)).not.toThrow(),
    );
  });

  it.each([
    'https://game.example/play?token=x',
    'https://game.example/play?skin=x&MODE=1&mode=',
    'https://user:pass@game.example/play',
    'https://game.example/pl\tay',
  ])('refuses launchUrl %j by name: it would not lead a player there as it is meant', (url) => {
    const text = changed((content) => (content.games![0]!.launchUrl = url));
    expect(() => parseTenants('t.json', text)).toThrow(/games\.0\.launchUrl: /);
  });

  it.each(['https://game.example/play?skin=a%20b#/lobby?x=1', 'https://game.example/#/play'])(
    'takes launchUrl %j',
    (url) => {
      const text = changed((content) => (content.games![0]!.launchUrl = url));
      expect(parseTenants('t.json', text).games[0]!.launchUrl).toBe(url);
    },
  );

  it.each([
    ['t.json', example],
    ['t.yaml', 'operators: []\nproviders:\n  - {providerId: gp1, gameUrl: "http://x", secrets: [s]}\n'],
  ])('may begin with a byte order mark: %s', (file, text) => {
    expect(parseTenants(file, `\ufeff${text}`)).toEqual(parseTenants(file, text));
  });

  it('does not repeat what may be secret', () => {
    expect(() => parseTenants('t.json', '{"secrets": ["hush"')).toThrow(/^(?!.*hush)/s);
  });

  it.each(['0s', '11h', '3d'])('warns of autoCloseAfter %s, or refuses none at all', (autoCloseAfter) => {
    const text = changed(({ operators }) => (operators[0]!.autoCloseAfter = autoCloseAfter));
    if (autoCloseAfter === '0s') expect(() => parseTenants('t.json', text)).toThrow(/autoCloseAfter/);
    else expect(warningsOf(parseTenants('t.json', text), 'any')).toEqual([expect.stringContaining('op1')]);
  });

  it("warns of operators and providers that still use the sandbox's secrets", () => {
    const text = readFileSync(join(__dirname, '../../sandbox/tenants.json'), 'utf8');
    const warnings = warningsOf(parseTenants('t.json', text), 'any').filter((line) =>
      /anyone can read/.test(line),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/^operator op1\b/),
      expect.stringMatching(/^provider gp1\b/),
    ]);
  });
});

describe('secrets at rest', () => {
  const key = randomBytes(32);

  it('come back for their owner only, and only untouched', () => {
    const encrypted = encryptSecrets(key, 'operator:op1', ['new', 'old']);
    expect(decryptSecrets(key, 'operator:op1', encrypted)).toEqual(['new', 'old']);
    expect(() => decryptSecrets(key, 'operator:op2', encrypted)).toThrow();
    expect(() => decryptSecrets(randomBytes(32), 'operator:op1', encrypted)).toThrow();
    expect(() => decryptSecrets(key, 'operator:op1', `${encrypted.slice(0, -2)}AA`)).toThrow();
    expect(encryptSecrets(key, 'operator:op1', ['new', 'old'])).not.toBe(encrypted);
  });
});

describe('loadTenants', () => {
  const secretsKey = randomBytes(32);
  const logger = createLogger({ level: 'silent', process: 'api' });
  let client: MongoClient;
  let db: Db;
  let folder: string;
  let file: string;
  const open: Tenants[] = [];

  const load = async (from: Db = db): Promise<Tenants> => {
    const tenants = await loadTenants({ file, db: from, secretsKey, logger, retryMs: 50 });
    open.push(tenants);
    return tenants;
  };

  beforeAll(async () => {
    client = await MongoClient.connect(process.env.TEST_MONGODB_URI!);
  });
  afterAll(() => client.close());
  beforeEach(() => {
    db = client.db(`tenants-${randomUUID()}`);
    folder = mkdtempSync(join(tmpdir(), 'tenants-'));
    file = join(folder, 'tenants.json');
    writeFileSync(file, example);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((tenants) => tenants.close()));
    await db.dropDatabase();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads a game without a studio from MongoDB again', async () => {
    writeFileSync(
      file,
      changed(({ games }) => delete games![0]!['studio']),
    );
    await load();
    const tenants = await loadTenants({ file: undefined, db, secretsKey, logger });
    open.push(tenants);
    expect(tenants.game('demo-slot')).toMatchObject({ studio: '' });
  });

  it('writes no tenant without a file, as for the commands that a person runs', async () => {
    await load();
    const before = await db.collection('operators').find().toArray();
    const tenants = await loadTenants({ file: undefined, db, secretsKey, logger });
    open.push(tenants);
    expect(tenants.operator('op1')).toMatchObject({ operatorId: 'op1' });
    expect(await db.collection('operators').find().toArray()).toEqual(before);
  });

  it('refuses to start with another SECRETS_KEY, and changes nothing', async () => {
    await load();
    const before = await db.collection('operators').find().toArray();
    const stranger = loadTenants({ file, db, secretsKey: randomBytes(32), logger });
    await expect(stranger).rejects.toThrow(
      /SECRETS_KEY: the secrets in MongoDB .* are encrypted with another key/,
    );
    expect(await db.collection('operators').find().toArray()).toEqual(before);
  });

  it('keeps tenants in MongoDB without a readable secret', async () => {
    writeFileSync(
      file,
      changed(({ operators }) => (operators[0]!.secrets = ['op-secret-new', 'op-secret-old'])),
    );
    const tenants = await load();
    expect(tenants.complete).toBe(true);
    expect(tenants.operator('op1')?.secrets).toEqual(['op-secret-new', 'op-secret-old']);
    expect(tenants.game('demo-slot')?.providerId).toBe('gp1');
    const kept = JSON.stringify(await db.collection('operators').find().toArray());
    expect(kept).toContain('op1');
    expect(kept).not.toContain('op-secret');
  });

  it('keeps the tenants that another file brought, and follows changes', async () => {
    const before = await load();
    writeFileSync(
      file,
      changed(({ operators }) => Object.assign(operators[0]!, { operatorId: 'op2', gameRoundReport: false })),
    );
    const after = await load();
    expect(after.operator('op1')).toBeDefined();
    expect(after.operator('op2')?.gameRoundReport).toBe(false);
    expect(before.operator('op2')).toBeUndefined();
    await before.refresh();
    expect(before.operator('op2')).toBeDefined();
  });

  it('knows the file’s tenants while MongoDB is down, and that there may be more', async () => {
    const gone = new MongoClient('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 100 });
    const tenants = await load(gone.db('x'));
    expect(tenants.operator('op1')?.secrets).toEqual(['s1']);
    expect(tenants.complete).toBe(false);
    await tenants.close();
    await gone.close();
  });

  it('leaves a tenant out whose secrets it can’t read, and goes on with the others', async () => {
    await load();
    await db.collection('operators').updateOne({}, { $set: { 'entry.operatorId': 'op3' } });
    await db.collection<{ _id: string }>('operators').insertOne({
      ...(await db.collection('operators').findOne({}))!,
      _id: 'op3',
    });
    const tenants = await load();
    expect(tenants.operator('op3')).toBeUndefined();
    expect(tenants.operator('op1')).toBeDefined();
  });
});
