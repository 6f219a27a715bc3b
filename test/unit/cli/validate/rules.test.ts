// Are CEL rules of a schema evaluated as the API server evaluates them?
import { describe, expect, it } from '@jest/globals';
import { brokenRules, type RuleSchema } from '../../../../src/cli/validate/rules.ts';

const rule = (text: string, more: object = {}): RuleSchema => ({
  'x-kubernetes-validations': [{ rule: text, message: 'broken', ...more }],
});
const messages = (schema: RuleSchema, value: unknown, before?: unknown): readonly string[] =>
  brokenRules(schema, value, before).map(({ field, message }) => `${field}: ${message}`);

describe('a rule', () => {
  it.each<[string, unknown]>([
    ['has(self.a) && !has(self.b)', { a: 1 }],
    ['!has(self.a.b)', { a: {} }],
    ['self.a == 1 && self.a < 1.5 && type(self.a) == int', { a: 1 }],
    ["type(self) == int ? self >= 1 : self.matches('^[1-9]%$')", '5%'],
    ["type(self) == int ? self >= 1 : self.matches('^[1-9]%$')", 5],
    ["self.all(name, name.matches('^[a-z]+$'))", { a: 'x', b: 'y' }],
    ['self.exists(x, x == 2) && self.exists_one(x, x > 1)', [1, 2]],
    ['self.map(x, x * 2) == [2, 4] && self.filter(x, x > 1).size() == 1', [1, 2]],
    ["self.size() == 2 && size(self) == 2 && self.startsWith('ä')", 'äö'],
    ["self.split(',').join('-') == 'a-b' && self.replace(',', '').upperAscii() == 'AB'", 'a,b'],
    ["'%s of %d'.format([self, 2]) == 'x of 2'", 'x'],
    // As RE2 reads it, not as JavaScript does.
    [String.raw`self.matches('(?i)^X\\z')`, 'x'],
    ["duration('1h') > duration(self)", '30m'],
    // An error in an operand that does not decide is ignored.
    ['self.absent == 1 || true', {}],
    ["self.all(name, name != '__proto__')", {}],
  ])('the rule %s holds for %j', (text, value) => expect(messages(rule(text), value)).toEqual([]));

  it.each<[string, unknown]>([
    ['has(self.constructor)', {}],
    ["self.all(name, name != '__proto__')", JSON.parse('{"__proto__":"x"}')],
    ["self.matches('^x$')", 'x\n'],
    ['self > 1', 1],
  ])('the rule %s is broken for %j', (text, value) =>
    expect(messages(rule(text), value)).toEqual([': broken']),
  );

  it('a rule that cannot be evaluated counts as broken, with the reason', () => {
    const why = 'field not found: b evaluating rule: broken';
    expect(messages(rule('self.b == 1'), { a: 1 })).toEqual([`: ${why}`]);
  });

  it('a rule that is not CEL is refused', () =>
    expect(() => messages(rule('self.'), 1)).toThrow('expecting'));
});

describe('the message', () => {
  const broken = 'self == 1';
  it.each<[string, object, string]>([
    ['is that of the rule', {}, 'broken'],
    ['names the rule if it has no message', { message: undefined }, 'failed rule: self == 1'],
    ['is what the expression gives', { messageExpression: "'is ' + string(self)" }, 'is 2'],
    ['is that of the rule if the expression fails', { messageExpression: 'self.a' }, 'broken'],
    ['is that of the rule if the expression is empty', { messageExpression: "' '" }, 'broken'],
    [
      'is that of the rule if the expression gives two lines',
      { messageExpression: String.raw`'a\nb'` },
      'broken',
    ],
  ])('the message about a broken rule %s', (_, more, message) =>
    expect(messages(rule(broken, more), 2)).toEqual([`: ${message}`]),
  );
});

describe('a rule about the previous object', () => {
  const unchanged = rule('self == oldSelf');
  const optional = rule('oldSelf.hasValue() && oldSelf.value() == self', { optionalOldSelf: true });
  it.each<[string, RuleSchema, unknown, unknown, readonly string[]]>([
    ['is not evaluated for a new object', unchanged, 1, undefined, []],
    ['holds for the same value', unchanged, 1, 1, []],
    ['is broken by another value', unchanged, 2, 1, [': broken']],
    ['with optionalOldSelf is evaluated for a new object', optional, 1, undefined, [': broken']],
    ['with optionalOldSelf holds for the same value', optional, 1, 1, []],
    ['with optionalOldSelf is broken by another value', optional, 2, 1, [': broken']],
    [
      'with optionalOldSelf fails if it reads a missing value',
      rule('oldSelf.value() == self', { optionalOldSelf: true }),
      1,
      undefined,
      [': optional.none() dereference evaluating rule: broken'],
    ],
    [
      'compares with the previous field',
      { properties: { a: unchanged } },
      { a: 2, b: 1 },
      { a: 1 },
      ['a: broken'],
    ],
    [
      'finds the previous item of a map by its keys',
      {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { properties: { size: unchanged } },
      },
      [
        { name: 'new', size: 1 },
        { name: 'b', size: 2 },
        { name: 'a', size: 1 },
      ],
      [
        { name: 'a', size: 1 },
        { name: 'b', size: 1 },
      ],
      ['[1].size: broken'],
    ],
    ['finds no previous item in another list', { items: unchanged }, [2], [1], []],
  ])('a rule about the previous object %s', (_, schema, value, before, expected) =>
    expect(messages(schema, value, before)).toEqual(expected),
  );
});

describe('rules of a schema', () => {
  it('rules of fields, items and map values are evaluated, with their path', () => {
    const positive = rule('self > 0');
    const schema: RuleSchema = {
      properties: {
        list: { items: { properties: { size: positive } } },
        map: { additionalProperties: positive },
      },
    };
    const value = { list: [{ size: 1 }, { size: 0 }, {}], map: { a: 0, b: 1 }, unknown: 0 };
    expect(messages(schema, value)).toEqual(['list[1].size: broken', 'map.a: broken']);
  });

  it.each<[string, RuleSchema, readonly unknown[], readonly string[]]>([
    [
      'of a map',
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      [{ name: 'a', size: 1 }, { name: 'b' }, { name: 'a' }],
      ['[2]: Duplicate value: {"name":"a"} is already [0]'],
    ],
    [
      'of a set',
      { 'x-kubernetes-list-type': 'set' },
      [1, 2, 1],
      ['[2]: Duplicate value: 1 is already [0]'],
    ],
    ['of another list', { 'x-kubernetes-list-type': 'atomic' }, [1, 1], []],
  ])('duplicates %s are judged by the type of the list', (_, schema, value, expected) =>
    expect(messages(schema, value)).toEqual(expected),
  );
});
