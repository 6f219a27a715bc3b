// Which programs run code from their command line, and where does that code end?

/** Only options that are listed here are known; what others do is not guessed. */
type Options = {
  /** Options without a value. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly valued: RegExp;
};

/** Runs code: a script file, or the value of an option. */
export type Interpreter = Options & {
  readonly is: 'Interpreter';
  /** Options whose next word is the code. */
  readonly code: RegExp;
  /** Options with the code in the same word. */
  readonly gluedCode: RegExp;
  /** Nothing after the value of `code` is an option any more. */
  readonly endsWithCode?: true;
  /** The program looks for options behind the script, too: only `--` ends them. */
  readonly permutes?: true;
  /** A word that may stand where the script is expected, and is skipped. */
  readonly subcommand?: string;
  /** What a script must look like; anything else is a subcommand. */
  readonly script: RegExp;
  /** Allowed templates, which the message shows to the author of a refused one. */
  readonly allowed: readonly string[];
};

/** Runs the program that follows its own options. */
export type WrapperProgram = Options & {
  readonly is: 'Wrapper';
  /** Arguments of its own before the program. */
  readonly arguments: number;
  /** NAME=value may stand before the program. */
  readonly assigns?: true;
  readonly allowed: readonly string[];
};

/** Has options that run programs; behind `--` no word is an option. */
export type Tool = { readonly is: 'Tool'; readonly allowed: readonly string[] };

/** Any word of its command line may run as code. */
export type Opaque = { readonly is: 'Opaque'; readonly allowed: readonly string[] };

export type Program = Interpreter | WrapperProgram | Tool | Opaque;

const none = /^(?!)/;
const anything = /^/;
const file = /[./]/;

const interpreter = (
  allowed: readonly string[],
  own: Partial<Omit<Interpreter, 'is' | 'allowed'>>,
): Interpreter => ({
  is: 'Interpreter',
  flags: none,
  valued: none,
  code: none,
  gluedCode: none,
  script: anything,
  ...own,
  allowed,
});

const wrapper = (
  allowed: string,
  own: Partial<Omit<WrapperProgram, 'is' | 'allowed'>> = {},
): WrapperProgram => ({
  is: 'Wrapper',
  flags: none,
  valued: none,
  arguments: 0,
  ...own,
  allowed: [allowed],
});

/**
 * With `-c` the first word that is no option is the code, else it is the file: what follows it is
 * an argument in both cases.
 */
const shell = interpreter(["sh -c 'SCRIPT' sh {stream}", 'sh FILE {stream}'], {
  flags:
    /^[-+][abcefhilmnpsuvxrBCEHP]+$|^--(?:norc|noprofile|posix|login|restricted|noediting|verbose)$/,
  valued: /^[-+][abcefhilmnpsuvxrBCEHP]*[oO]$|^--(?:rcfile|init-file)$/,
});

const node = interpreter(['node FILE.mjs {stream}', "node --eval 'CODE' -- {stream}"], {
  flags:
    /^--(?!eval=|print=|run=)[\w-]+=|^--(?:no-[\w-]+|enable-source-maps|expose[-_]gc|preserve-symlinks(?:-main)?|permission|experimental-(?:strip-types|transform-types|vm-modules)|trace-(?:warnings|deprecation|uncaught))$/,
  valued:
    /^(?:-r|--require|--import|--loader|--env-file|-C|--conditions|--disable-warning|--input-type|--title)$/,
  code: /^(?:-e|-p|-pe|--eval|--print)$/,
  gluedCode: /^--(?:eval|print)=/,
  script: file,
});

const known: readonly (readonly [names: RegExp, program: Program])[] = [
  [/^(?:sh|r?bash|dash|ash|zsh|[lm]?ksh|oksh|posh|yash)$/, shell],
  [/^(?:node|nodejs|iojs|tsx|ts-node)$/, node],
  [
    /^deno$/,
    interpreter(['deno run FILE.ts {stream}'], {
      flags:
        /^-[AqRWNESI]+$|^--(?:(?:allow|deny)-\w+|no-[\w-]+|quiet|cached-only|unstable[\w-]*)$|^--[\w-]+=/,
      subcommand: 'run',
      script: file,
    }),
  ],
  [
    /^bun$/,
    interpreter(['bun run FILE.ts {stream}'], {
      flags: /^--(?:smol|silent)$/,
      subcommand: 'run',
      script: file,
    }),
  ],
  [
    /^(?:python|pypy)$/,
    interpreter(['python FILE.py {stream}', "python -c 'CODE' {stream}"], {
      flags: /^-[bBdEhiIOqsSuvVx]+$/,
      valued: /^-[WX]$/,
      code: /^-[bBdEhiIOqsSuvVx]*c$/,
      endsWithCode: true,
    }),
  ],
  [
    /^perl$/,
    // Not -n, -p and -i: those open what follows, and a file name that begins or ends with | is a
    // command.
    interpreter(['perl FILE.pl {stream}', "perl -e 'CODE' -- {stream}"], {
      flags: /^-(?:[wWtTXf]+|[IMm].+)$/,
      valued: /^-I$/,
      code: /^-[wWtTXf]*[eE]$/,
    }),
  ],
  [
    /^j?ruby$/,
    interpreter(['ruby FILE.rb {stream}', "ruby -e 'CODE' -- {stream}"], {
      flags: /^-(?:w|W\d?|U|[IrE].+)$|^--(?:yjit|jit|(?:disable|enable)[-=][\w-]+)$/,
      valued: /^-[IrE]$/,
      code: /^-w?e$/,
    }),
  ],
  [
    /^php$/,
    interpreter(['php FILE.php {stream}', "php -r 'CODE' -- {stream}"], {
      flags: /^-(?:[qn]+|d.+)$/,
      valued: /^-[dc]$/,
      code: /^-[rf]$/,
    }),
  ],
  [
    /^(?:lua|luajit)$/,
    interpreter(['lua FILE.lua {stream}'], { flags: /^-(?:[EWv]|l.+)$/, valued: /^-[le]$/ }),
  ],
  [/^tclsh$/, interpreter(['tclsh FILE.tcl {stream}'], {})],
  [
    /^java$/,
    interpreter(['java -jar FILE.jar {stream}', 'java -cp PATH CLASS {stream}'], {
      flags: /^-(?:[DX].*|ea.*|da.*|server|client)$|^--(?:enable-preview|[\w-]+=.*)$/,
      valued: /^(?:-cp|-classpath|-p|--class-path|--module-path|--add-modules)$/,
      code: /^(?:-jar|-m|--module)$/,
      endsWithCode: true,
      script: /^[^@]/,
    }),
  ],
  [
    /^[gmn]?awk$/,
    interpreter(["awk -- 'PROGRAM' {stream}", 'awk -f FILE -- {stream}'], {
      flags: /^-[Fv].+$/,
      valued: /^-[Fv]$/,
      code: /^-f$/,
      permutes: true,
    }),
  ],
  [
    /^g?sed$/,
    interpreter(["sed -e 'SCRIPT' -- {stream}"], {
      flags: /^-[nErsuz]+$/,
      code: /^-[nErsuz]*[ef]$/,
      permutes: true,
    }),
  ],
  [
    /^jq$/,
    interpreter(["jq 'PROGRAM' -- {stream}"], { flags: /^-[nrcseSaCMj]+$/, permutes: true }),
  ],

  [
    /^env$/,
    // Not -S: the word behind it is a command line of its own.
    wrapper('env NAME=VALUE PROGRAM {stream}', {
      flags: /^(?:-|-[iv]+|--ignore-environment|--unset=.+|--chdir=.+)$/,
      valued: /^(?:-u|--unset|-C|--chdir)$/,
      assigns: true,
    }),
  ],
  [
    /^nice$/,
    wrapper('nice -n 10 PROGRAM {stream}', {
      flags: /^-(?:n?[-+]?\d+)$|^--adjustment=/,
      valued: /^(?:-n|--adjustment)$/,
    }),
  ],
  [
    /^ionice$/,
    wrapper('ionice -c 3 PROGRAM {stream}', { flags: /^-(?:t|[cn]\d)$/, valued: /^-[cn]$/ }),
  ],
  [/^chrt$/, wrapper('chrt -b 0 PROGRAM {stream}', { flags: /^-[abfior]+$/, arguments: 1 })],
  [/^taskset$/, wrapper('taskset -c 0 PROGRAM {stream}', { flags: /^-[ac]+$/, arguments: 1 })],
  [/^(?:nohup|busybox|toybox)$/, wrapper('nohup PROGRAM {stream}')],
  [/^setsid$/, wrapper('setsid PROGRAM {stream}', { flags: /^-[cfw]+$|^--(?:ctty|fork|wait)$/ })],
  [
    /^stdbuf$/,
    wrapper('stdbuf -oL PROGRAM {stream}', {
      flags: /^-[ioe].+$|^--(?:input|output|error)=/,
      valued: /^(?:-[ioe]|--(?:input|output|error))$/,
    }),
  ],
  [
    /^timeout$/,
    wrapper('timeout 60 PROGRAM {stream}', {
      flags:
        /^-(?:[fpv]+|[ks].+)$|^--(?:foreground|preserve-status|verbose|kill-after=.+|signal=.+)$/,
      valued: /^(?:-[ks]|--kill-after|--signal)$/,
      arguments: 1,
    }),
  ],
  [/^time$/, wrapper('time -p PROGRAM {stream}', { flags: /^-[apqv]+$/, valued: /^-[fo]$/ })],
  [/^(?:exec|command)$/, wrapper('exec PROGRAM {stream}', { flags: /^-[clp]+$/, valued: /^-a$/ })],
  [
    /^(?:tini(?:-static)?|catatonit)$/,
    wrapper('tini -- PROGRAM {stream}', { flags: /^-[gsvw]+$/, valued: /^-[ep]$/ }),
  ],
  [
    /^dumb-init$/,
    wrapper('dumb-init -- PROGRAM {stream}', {
      flags: /^-[cv]+$|^--(?:single-child|verbose|rewrite=.+)$/,
      valued: /^-r$/,
    }),
  ],
  [
    /^sudo$/,
    wrapper('sudo -u USER PROGRAM {stream}', {
      flags: /^-[EHPSkn]+$/,
      valued: /^-[ugCp]$/,
      assigns: true,
    }),
  ],
  [/^doas$/, wrapper('doas -u USER PROGRAM {stream}', { flags: /^-n$/, valued: /^-[uC]$/ })],
  [/^(?:gosu|su-exec)$/, wrapper('gosu USER PROGRAM {stream}', { arguments: 1 })],
  [
    /^chroot$/,
    wrapper('chroot FOLDER PROGRAM {stream}', {
      flags: /^--(?:userspec=.+|groups=.+|skip-chdir)$/,
      arguments: 1,
    }),
  ],
  [
    /^setpriv$/,
    wrapper('setpriv --reuid=1000 PROGRAM {stream}', {
      flags: /^--(?:[\w-]+=.+|no-new-privs|nnp|(?:clear|init|keep)-groups|reset-env)$/,
      valued: /^--(?:re|r|e)[ug]id$|^--groups$/,
    }),
  ],

  [/^(?:bsd|g)?tar$/, { is: 'Tool', allowed: ['tar -xf FILE -- {stream}'] }],
  [
    /^(?:rsync|scp|git|zip|wget|tcpdump)$/,
    { is: 'Tool', allowed: ['rsync -a -- {stream} FOLDER'] },
  ],

  // These hand their arguments to a shell, evaluate them, or take them for another program's
  // command line.
  [
    /^(?:su|runuser|ssh|slogin|sshpass|scp|sftp|script|watch|parallel|xargs|find|flock|strace|ltrace|gdb|unshare|nsenter|chpst)$/,
    opaque(),
  ],
  [
    /^(?:systemd-run|docker|podman|nerdctl|kubectl|crictl|ld|ld-linux.*|socat|batch|expect|screen|tmux|start-stop-daemon)$/,
    opaque(),
  ],
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bunx|corepack|uv|uvx|pipx|bundle|rake|make|gmake|ninja|cargo|go|m4|cpp)$/,
    opaque(),
  ],
  [
    /^(?:t?csh|fish|elvish|nu|xonsh|pwsh|powershell|osascript|ipython|rscript|julia|octave|guile|racket)$/,
    opaque(),
  ],
  [
    /^(?:groovy|scala|kotlin|erl|elixir|iex|mix|ghc|runghc|runhaskell|ocaml|clojure|clj|irb|wish|gnuplot|dc|bc)$/,
    opaque(),
  ],
  [/^(?:vi|vim|ed|nvim|emacs|nano|sqlite|psql|mysql|mariadb|mongosh?|redis-cli)$/, opaque()],
];

function opaque(): Opaque {
  return { is: 'Opaque', allowed: ["sh -c 'SCRIPT' sh {stream}"] };
}

/** Undefined: as far as is known, the program treats its arguments as data. */
export function programOf(word: string): Program | undefined {
  const [file, name] = [fileOf(word), nameOf(word)];
  const spellings = file === name ? [file] : [file, name];
  return known.find(([names]) => spellings.some((spelling) => names.test(spelling)))?.[1];
}

const fileOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1).toLowerCase();

/** Without folder and version: `/usr/bin/python3.12` is `python`. */
export const nameOf = (word: string): string => fileOf(word).replace(/-?\d[\d.]*$/, '');
