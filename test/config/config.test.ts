import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigError } from '../../src/config';
import { describeConfig, loadConfig } from '../../src/config';
import { readStackConfig } from '../../stack/config';
import { isPlainSandbox } from '../../stack/sandbox-tenants';
import { CERTIFICATES } from '../support/certificates';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('loadConfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const load = (env: NodeJS.ProcessEnv = {}) =>
    loadConfig({ DATA_DIR: folder, SECRETS_KEY: KEY, BACKOFFICE_TOKEN: 'b'.repeat(16), ...env });

  it('has the defaults of docs/configuration.md', () => {
    const config = load();
    expect(config.http).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://127.0.0.1:8080',
      trustedProxies: 0,
      maxCalls: 256,
      pageSigns: false,
      startLinks: [],
      signatureHints: true,
    });
    expect(config.temporal).toEqual({ address: '127.0.0.1:7233', namespace: 'default' });
    expect(config.tenantsFile).toMatch(/sandbox[/\\]tenants\.json$/);
    expect(existsSync(config.tenantsFile)).toBe(true);
  });

  it("calls this machine's wallets and games in development alone, private networks only when told to", () => {
    expect(load().callbackAddresses).toBe('loopback');
    expect(load({ ENVIRONMENT: 'production' }).callbackAddresses).toBe('public');
    expect(load({ ENVIRONMENT: 'production', CALLBACK_ADDRESSES: 'any' }).callbackAddresses).toBe('any');
    expect(() => load({ CALLBACK_ADDRESSES: 'private' })).toThrow(/CALLBACK_ADDRESSES/);
  });

  it('has hints on wrong signatures where no real players are, or where it is told to', () => {
    const hints = (env: NodeJS.ProcessEnv): boolean => load(env).http.signatureHints;
    expect(hints({ ENVIRONMENT: 'local' })).toBe(true);
    expect(hints({ ENVIRONMENT: 'staging' })).toBe(true);
    expect(hints({ ENVIRONMENT: 'production' })).toBe(false);
    expect(hints({ ENVIRONMENT: 'prod-eu' })).toBe(false);
    expect(hints({ ENVIRONMENT: 'test', SIGNATURE_HINTS: 'on' })).toBe(true);
    expect(hints({ ENVIRONMENT: 'local', SIGNATURE_HINTS: 'off' })).toBe(false);
  });

  it('lets the API page sign in a sandbox only', () => {
    expect(load({ API_PAGE_SIGNS: 'on' }).http.pageSigns).toBe(true);
    expect(() => load({ API_PAGE_SIGNS: 'on', ENVIRONMENT: 'production' })).toThrow(/API_PAGE_SIGNS/);
    expect(() => load({ API_PAGE_SIGNS: 'on', ENVIRONMENT: 'staging' })).toThrow(/API_PAGE_SIGNS/);
    const started = (env: NodeJS.ProcessEnv): boolean =>
      isPlainSandbox(readStackConfig({ DATA_DIR: folder, ...env }), env);
    expect(started({})).toBe(true);
    expect(started({ TENANTS_FILE: 'sandbox/tenants.json' })).toBe(false);
    expect(started({ SANDBOX: 'off' })).toBe(false);
    expect(started({ ENVIRONMENT: 'production' })).toBe(false);
  });

  it('takes an empty value as absent', () => {
    expect(load({ PORT: '', BASE_URL: '', TEMPORAL_API_KEY: '' }).http.port).toBe(8080);
  });

  it('names every fault in a line of its own, and no value', () => {
    const faulty = { PORT: 'eighty', LOG_LEVEL: 'loud', BASE_URL: 'ftp://x', SECRETS_KEY: 'c2hvcnQ=' };
    try {
      load(faulty);
      throw new Error('it was accepted');
    } catch (error) {
      const { faults } = error as ConfigError;
      expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual([
        'BASE_URL',
        'LOG_LEVEL',
        'PORT',
        'SECRETS_KEY',
      ]);
      expect(String(error)).not.toMatch(/eighty|loud|ftp|c2hvcnQ/);
    }
  });

  it.each([
    'https://api.example/?',
    'https://api.example/#',
    'https://api.example?a=1',
    'https://api.example/a b',
    'https://user:pass@api.example/',
  ])('refuses BASE_URL %j: paths are appended to it', (url) => {
    expect(() => load({ BASE_URL: url })).toThrow(/BASE_URL/);
  });

  it('wants a client certificate with its key', () => {
    expect(() => load({ TEMPORAL_TLS_CLIENT_CERT_PATH: '/x' })).toThrow(/TEMPORAL_TLS_CLIENT_KEY_PATH/);
  });

  it('refuses a client certificate with the key of another', () => {
    const [one, other] = CERTIFICATES;
    const files = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'crt'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(folder, 'key'),
    };
    writeFileSync(files.TEMPORAL_TLS_CLIENT_CERT_PATH, one.certificate);
    writeFileSync(files.TEMPORAL_TLS_CLIENT_KEY_PATH, other.key);
    expect(() => load(files)).toThrow(/TEMPORAL_TLS_CLIENT_KEY_PATH: the key does not belong/);
    writeFileSync(files.TEMPORAL_TLS_CLIENT_KEY_PATH, one.key);
    expect(load(files).temporal.tls).toMatchObject({ clientCertPair: { key: Buffer.from(one.key) } });
  });

  it('goes to Temporal by TLS when there is an API key', () => {
    expect(load({ TEMPORAL_API_KEY: 'k' }).temporal).toMatchObject({ apiKey: 'k', tls: {} });
    expect(load({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'off' }).temporal.tls).toBe(false);
  });

  it('makes the secrets that are not set, once, readable by this user alone', () => {
    const first = load({ SECRETS_KEY: '', BACKOFFICE_TOKEN: '' });
    const again = load({ SECRETS_KEY: '', BACKOFFICE_TOKEN: '' });
    expect(first.secretsKey).toHaveLength(32);
    expect(again.secretsKey.equals(first.secretsKey)).toBe(true);
    expect(again.backofficeToken).toBe(first.backofficeToken);
    expect(statSync(join(folder, 'secrets-key')).mode & 0o077).toBe(0);
  });

  it('takes keys of payloads, newest first, and refuses what is none', () => {
    const other = Buffer.alloc(32, 8).toString('base64');
    const { payloads } = load({ PAYLOAD_KEYS: `k2:${KEY},k1:${other}`, PAYLOAD_READ_KEYS: '' });
    expect(payloads.keys.map(({ id }) => id)).toEqual(['k2', 'k1']);
    expect(payloads.readKeys).toEqual([]);
    expect(load().payloads).toEqual({ keys: [], readKeys: [] });
    expect(() => load({ PAYLOAD_KEYS: 'k1:short' })).toThrow(/PAYLOAD_KEYS: must be a list of id:key/);
    expect(() => load({ PAYLOAD_KEYS: `k1:${KEY}`, PAYLOAD_READ_KEYS: `k1:${other}` })).toThrow(/used twice/);
  });

  it('lets only origins read from the codec server', () => {
    expect(load({ TEMPORAL_UI_PORT: '9' }).codecServer.origins).toEqual([
      'http://127.0.0.1:9',
      'http://localhost:9',
    ]);
    const origins = (list: string) => load({ CODEC_SERVER_ORIGINS: list }).codecServer.origins;
    expect(origins('https://a.example, https://b.example:8')).toEqual([
      'https://a.example',
      'https://b.example:8',
    ]);
    expect(() => origins('https://a.example/')).toThrow(/CODEC_SERVER_ORIGINS/);
    expect(() => origins('*')).toThrow(/CODEC_SERVER_ORIGINS/);
  });

  it('is shown with its secrets masked', () => {
    const config = load({
      PAYLOAD_KEYS: `k1:${KEY}`,
      MONGODB_URI: 'mongodb://me:hush@db.example/?authSource=admin&tlsCertificateKeyFilePassword=hush2',
      TEMPORAL_API_KEY: 'hush3',
    });
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).toContain('db.example');
    expect(shown).not.toMatch(/hush|bbbb|BwcH/);
  });
});
