import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { SEARCH_ATTRIBUTES } from '../../src/contracts/search-attributes';
import { readTenantsFile } from '../../src/tenants/file';
import { projectRoot } from '../../stack/paths';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Record<string, { condition: string }>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Record<string, string>;
}

const root = projectRoot();
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

describe('docker-compose.yml', () => {
  it('checks the health of every lasting service, and starts a service after those that it needs', () => {
    for (const [name, service] of Object.entries(services)) {
      const waitedFor = Object.entries(service.depends_on ?? {});
      for (const [needed, { condition }] of waitedFor) {
        const expected = services[needed]?.entrypoint ? 'service_completed_successfully' : 'service_healthy';
        expect([name, needed, condition]).toEqual([name, needed, expected]);
        if (expected === 'service_healthy') expect(services[needed]?.healthcheck).toBeDefined();
      }
    }
    expect(services.service?.healthcheck).toBeDefined();
    expect(services.worker?.healthcheck).toBeDefined();
  });

  it('mounts only files that exist', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    const ours = mounted.map((volume) => /^\.\/[^:]+/.exec(volume)?.[0]).filter((file) => file !== undefined);
    expect(ours.length).toBeGreaterThan(0);
    for (const file of ours) expect(statSync(join(root, file)).isFile()).toBe(true);
  });

  it('passes every setting on', () => {
    const settings = readFileSync(join(root, 'src/config.ts'), 'utf8').matchAll(/^ {2,4}([A-Z][A-Z_]+): /gm);
    const passed = { ...services['codec-server']?.environment, ...services.service?.environment };
    // Each is a setting of its own outside, or has the one value that fits into a container.
    const fixed = ['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT', 'DATA_DIR', 'CODEC_SERVER_HOST'];
    // Of the servers that `npm start` runs, and the port that the codec server is published on.
    const elsewhere = ['TEMPORAL_PORT', 'MONGODB_PORT', 'TEMPORAL_UI_PORT', 'CODEC_SERVER_PORT'];
    const names = [...settings].map(([, name = '']) => name).filter((name) => !elsewhere.includes(name));
    expect(names.length).toBeGreaterThan(25);
    const isPassed = (name: string): boolean =>
      fixed.includes(name) || passed[name]?.startsWith(`\${${name}:-`) === true || name === 'TENANTS_FILE';
    expect(names.filter((name) => !(name in passed && isPassed(name)))).toEqual([]);
    const [tenants] = services.service?.volumes?.filter((volume) => volume.includes('TENANTS_FILE')) ?? [];
    expect(tenants).toContain(`:${passed.TENANTS_FILE}:ro`);
  });

  it('publishes the API once, in front of any number of service containers', () => {
    const fixed = Object.entries(services).filter(([, { ports = [] }]) =>
      ports.some((port) => /\$\{PORT:-8080\}:8080$/.test(port)),
    );
    expect(fixed.map(([name]) => name)).toEqual(['gateway']);
    expect(services.service?.ports).toEqual(['127.0.0.1:${ADMIN_PORT:-}:8081']);
    expect(services.worker?.ports).toBeUndefined();
    const conf = readFileSync(join(root, 'stack/compose/gateway.conf'), 'utf8');
    expect(conf).toContain('set $service service;');
    expect(services.service?.environment?.TRUSTED_PROXIES).toBe('${TRUSTED_PROXIES:-1}');
  });

  it('has the sandbox as a profile, with its tenants at the addresses of its containers', () => {
    expect(services.sandbox?.profiles).toEqual(['sandbox']);
    const settings = parseEnv(readFileSync(join(root, 'stack/compose/sandbox.env'), 'utf8'));
    expect(settings).toMatchObject({ COMPOSE_PROFILES: 'sandbox', CALLBACK_ADDRESSES: 'any' });
    const own = readTenantsFile(join(root, 'sandbox/tenants.json'));
    const here = readTenantsFile(join(root, String(settings.TENANTS_FILE)));
    const at = (text: string): string =>
      text
        .replaceAll('http://127.0.0.1:9002/play', 'http://localhost:9002/play')
        .replaceAll('http://127.0.0.1:', 'http://sandbox:');
    expect(here).toEqual(JSON.parse(at(JSON.stringify(own))));
    expect(services.sandbox?.ports).toEqual(['127.0.0.1:9001:9001', '127.0.0.1:9002:9002']);
  });

  it('has no secret in it', () => {
    expect(text).toContain('SECRETS_KEY: ${SECRETS_KEY:-}');
    expect(text).toContain('BACKOFFICE_TOKEN: ${BACKOFFICE_TOKEN:-}');
  });

  it('registers the search attributes that rounds carry', () => {
    const script = readFileSync(join(root, 'stack/compose/namespace.sh'), 'utf8');
    const types = { KEYWORD: 'Keyword', DOUBLE: 'Double', DATETIME: 'Datetime', KEYWORD_LIST: 'KeywordList' };
    const expected = SEARCH_ATTRIBUTES.map(({ name, type }) => `${name}=${types[type]}`);
    expect([...script.matchAll(/^ {2}(\w+=\w+)\b/gm)].map(([, pair]) => pair)).toEqual(expected);
  });
});
