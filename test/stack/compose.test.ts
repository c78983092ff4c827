import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SEARCH_ATTRIBUTES } from '../../src/contracts/search-attributes';
import { projectRoot } from '../../stack/paths';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Record<string, { condition: string }>;
  readonly volumes?: readonly string[];
}

const root = projectRoot();
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

describe('docker-compose.yml', () => {
  it('checks the health of whatever stays up, and starts nothing before what it needs', () => {
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
