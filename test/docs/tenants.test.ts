import { gameSettingsOf } from '../../src/domain/game-settings';
import {
  GameEntry,
  gameSettingsShape,
  OperatorEntry,
  parseTenants,
  ProviderEntry,
} from '../../src/tenants/file';
import { codeIn, rowsOf, sectionOf, textOf } from './pages';

/* docs/tenants.md has one row for each field of TENANTS_FILE; its defaults and examples are true. */

const PAGE = 'docs/tenants.md';

type Entry = Record<string, unknown>;

const operator = {
  operatorId: 'op',
  operatorUrl: 'https://o.example',
  secrets: ['s'],
  currencies: { EUR: 1 },
};
const provider = { providerId: 'gp', gameUrl: 'https://g.example', secrets: ['s'] };
const game = { gameCode: 'g', providerId: 'gp', name: 'G', launchUrl: 'https://g.example/play' };

const settingsIn = (gameSettings: Entry) => OperatorEntry.parse({ ...operator, gameSettings }).gameSettings;

const SECTIONS: readonly (readonly [heading: string, fields: string[], parse: (entry: Entry) => Entry])[] = [
  ['Operators', Object.keys(OperatorEntry.shape), (entry) => OperatorEntry.parse({ ...operator, ...entry })],
  ['Providers', Object.keys(ProviderEntry.shape), (entry) => ProviderEntry.parse({ ...provider, ...entry })],
  ['Games', Object.keys(GameEntry.shape), (entry) => GameEntry.parse({ ...game, ...entry })],
  ['Game settings', Object.keys(gameSettingsShape), (entry) => gameSettingsOf([settingsIn(entry)], 1)],
];

const required = { ...operator, ...provider, ...game } as Entry;

describe.each(SECTIONS)('the section "%s"', (heading, fields, parse) => {
  const rows = rowsOf(sectionOf(PAGE, heading)).map(([field, type, byDefault, example]) => ({
    field: codeIn(field) ?? '',
    type,
    byDefault: codeIn(byDefault),
    example: codeIn(example),
  }));

  it('has one row for each field, and no other', () => {
    expect(rows.map(({ field }) => field).sort()).toEqual([...fields].sort());
  });

  it('has a type in each row', () => {
    expect(rows.filter(({ type }) => (type ?? '') === '')).toEqual([]);
  });

  it('has the defaults of the code, and none for what is required', () => {
    const told = rows.map(({ field, byDefault }) => [
      field,
      byDefault === undefined ? undefined : (JSON.parse(byDefault) as unknown),
    ]);
    const entry = parse({});
    const isRequired = (field: string): boolean => heading !== 'Game settings' && field in required;
    expect(told).toEqual(rows.map(({ field }) => [field, isRequired(field) ? undefined : entry[field]]));
  });

  it('has examples that are taken as they are, and are no defaults', () => {
    const entry = parse({});
    for (const { field, example } of rows) {
      const value = JSON.parse(example ?? 'null') as unknown;
      expect([field, parse({ [field]: value })[field]]).toEqual([field, value]);
      expect([field, entry[field]]).not.toEqual([field, value]);
    }
  });
});

it('has an example of a file that is taken', () => {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(textOf(PAGE)) ?? [];
  const { operators, providers, games } = parseTenants('tenants.yaml', yaml);
  expect([operators, providers, games].map((list) => list.length)).toEqual([1, 1, 1]);
});
