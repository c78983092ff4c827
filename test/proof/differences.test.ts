import { describe as lineOf, differences } from '../../proof/differences';

test('equal values have no difference, whatever the order of their fields and whatever is undefined', () => {
  expect(differences({ a: 1, b: [{ c: 'x' }], d: undefined }, { b: [{ c: 'x' }], a: 1 })).toEqual([]);
  expect(differences(undefined, undefined)).toEqual([]);
});

test('each difference has its place and both values', () => {
  expect(differences({ a: 1, b: [{ c: 1 }, 2] }, { a: 2, b: [{ c: 3 }] })).toEqual([
    { path: 'a', expected: 1, found: 2 },
    { path: 'b[0].c', expected: 1, found: 3 },
    { path: 'b[1]', expected: 2, found: undefined },
  ]);
  expect(differences({ a: 1 }, { a: 1, more: 2 })).toEqual([{ path: 'more', expected: undefined, found: 2 }]);
  expect(differences({ a: null }, { a: {} })).toEqual([{ path: 'a', expected: null, found: {} }]);
  expect(differences([], {})).toEqual([{ path: '', expected: [], found: {} }]);
});

test('fields that were added may be allowed, also in lists; a list may not get longer', () => {
  expect(differences([{ a: 1 }], [{ a: 1, more: 2 }], { more: 'allowed' })).toEqual([]);
  expect(differences({ a: 1 }, {}, { more: 'allowed' })).toHaveLength(1);
  expect(differences([1], [1, 2], { more: 'allowed' })).toEqual([
    { path: '[1]', expected: undefined, found: 2 },
  ]);
});

test('a long list of differences is cut', () => {
  const many = Array.from({ length: 100 }, (_, index) => index);
  expect(differences(many, [], { most: 3 })).toHaveLength(3);
});

test('a line names place and values', () => {
  expect(lineOf({ path: 'a.b', expected: 1, found: undefined })).toBe('a.b: history 1, today absent');
});
