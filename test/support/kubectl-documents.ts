// Documents in YAML, and what kubectl makes of them; undefined: it refuses the document.

type Row = readonly [what: string, fields: string, want: object | undefined];

/** `fields`: beside apiVersion, kind and metadata of a ConfigMap. */
export const kubectlDocuments: readonly Row[] = [
  ['y and n', 'data: { a: y, b: N }', { data: { a: true, b: false } }],
  ['yes and no', 'data: { a: yes, b: No, c: YES }', { data: { a: true, b: false, c: true } }],
  ['on and off', 'data: { a: on, b: OFF, c: oN }', { data: { a: true, b: false, c: 'oN' } }],
  ['true and false', 'data: { a: true, b: False }', { data: { a: true, b: false } }],
  ['quoted words', 'data: { a: "on", b: \'no\' }', { data: { a: 'on', b: 'no' } }],
  ['null', 'data: { a: , b: ~, c: NULL }', { data: { a: null, b: null, c: null } }],
  ['octal numbers', 'data: { a: 0777, b: 0o17, c: -010 }', { data: { a: 511, b: 15, c: -8 } }],
  ['no octal number', 'data: { a: 08, b: 0o8 }', { data: { a: 8, b: '0o8' } }],
  ['other bases', 'data: { a: 0x1F, b: 0b11, c: -0x1f }', { data: { a: 31, b: 3, c: -31 } }],
  ['underscores', 'data: { a: 1_000, b: 1_0.5, c: _1 }', { data: { a: 1_000, b: 10.5, c: '_1' } }],
  ['signs', 'data: { a: +5, b: -5, c: "-", d: + }', { data: { a: 5, b: -5, c: '-', d: '+' } }],
  ['fractions', 'data: { a: .5, b: 1., c: +.5, d: . }', { data: { a: 0.5, b: 1, c: 0.5, d: '.' } }],
  ['exponents', 'data: { a: 1e3, b: 1E-2, c: 1e999 }', { data: { a: 1_000, b: 0.01, c: '1e999' } }],
  ['base 60', 'data: { a: 12:30:45, b: 1:30 }', { data: { a: '12:30:45', b: '1:30' } }],
  [
    'times',
    'data: { a: 2001-01-01, b: 2001-12-14t21:59:43Z }',
    {
      data: { a: '2001-01-01', b: '2001-12-14t21:59:43Z' },
    },
  ],
  [
    'large numbers',
    'data: { a: 9223372036854775808, b: 1e20 }',
    {
      data: { a: 2 ** 63, b: 1e20 },
    },
  ],
  ['infinity', 'data: { a: .inf }', undefined],
  ['no number', 'data: { a: .nan }', undefined],
  ['infinity in a list', 'data: [-.Inf]', undefined],
  ['tags', 'data: { a: !!str on, b: !!float 1, c: !!int "5" }', { data: { a: 'on', b: 1, c: 5 } }],
  [
    'keys that are no text',
    'data: { on: a, 1: b, 1.5: c, 0x10: d }',
    {
      data: { true: 'a', '1': 'b', '1.5': 'c', '16': 'd' },
    },
  ],
  ['null as a key', 'data: { ~: a }', undefined],
  ['a key that stands twice', 'data:\n  a: x\n  a: y2', { data: { a: 'y2' } }],
  ['an alias', 'data: { a: &x [y], b: *x }', { data: { a: [true], b: [true] } }],
  [
    'a merge',
    'base: &x { a: "1", b: "2" }\ndata:\n  <<: *x\n  b: "3"',
    {
      base: { a: '1', b: '2' },
      data: { a: '1', b: '3' },
    },
  ],
  [
    'a merge after a field',
    'base: &x { a: "1", b: "2" }\ndata:\n  b: "3"\n  <<: *x',
    {
      base: { a: '1', b: '2' },
      data: { a: '1', b: '2' },
    },
  ],
  [
    'a merge of two',
    'x: &x { a: 1 }\ny2: &y { a: 2, b: 3 }\ndata:\n  <<: [*x, *y]',
    {
      x: { a: 1 },
      y2: { a: 2, b: 3 },
      data: { a: 1, b: 3 },
    },
  ],
  ['a merge of a text', 'data:\n  <<: text', undefined],
  ['a quoted <<', 'data: { "<<": a, b: << }', { data: { '<<': 'a', b: '<<' } }],
  [
    'long texts',
    'data:\n  a: |\n    on\n    no\n  b: >-\n    on',
    { data: { a: 'on\nno\n', b: 'on' } },
  ],
  [
    'a tab, a comment and a text with blanks',
    'data: { a: on time, b: no # comment\n  }',
    {
      data: { a: 'on time', b: false },
    },
  ],
];

export const documentOf = (fields: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: any }\n${fields}\n`;
