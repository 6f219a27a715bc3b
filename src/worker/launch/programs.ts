// Which programs run code from their command line, and where does that code end?

type Known = {
  readonly names: RegExp;
  /** Allowed templates, which the message shows to the author of a refused template. */
  readonly allowed: readonly string[];
};

/** Only the listed options are known; the effect of others is not guessed. */
type Options = {
  /** Options without a value. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly valued: RegExp;
};

/** A program that runs code: a script file, or the value of an option. */
type CodeOptions = Options & {
  /** Options whose next word is the code. */
  readonly code: RegExp;
  /** Options with the code in the same word. */
  readonly gluedCode: RegExp;
  /** After the value of `code`, no word is an option. */
  readonly endsWithCode?: true;
  /** The program looks for options after the script, too: only `--` ends them. */
  readonly permutes?: true;
  /** A word that may stand in place of the script, and is skipped. */
  readonly subcommand?: string;
  /** The form of a script; any other word is a subcommand. */
  readonly script: RegExp;
};

/** A program that runs another one, which follows its own options. */
type WrapperOptions = Options & {
  /** The number of its own arguments before the other program. */
  readonly arguments: number;
  /** NAME=value may stand before the program. */
  readonly assigns?: true;
};

export type Interpreter = Known & CodeOptions & { readonly is: 'Interpreter' };
export type WrapperProgram = Known & WrapperOptions & { readonly is: 'Wrapper' };
export type Program =
  | Interpreter
  | WrapperProgram
  /** A tool has options that run programs; after `--` no word is an option. The user names it. */
  | (Known & { readonly is: 'Tool' })
  /** Any word of its command line may run as code. */
  | (Known & { readonly is: 'Opaque' });

const none = /^(?!)/;
const anything = /^/;
const file = /[./]/;

const interpreter = (
  names: RegExp,
  allowed: readonly string[],
  own: Partial<CodeOptions> = {},
): Interpreter => {
  const defaults = { flags: none, valued: none, code: none, gluedCode: none, script: anything };
  return { is: 'Interpreter', names, allowed, ...defaults, ...own };
};

const wrapper = (
  names: RegExp,
  allowed: string,
  own: Partial<WrapperOptions> = {},
): WrapperProgram => {
  const defaults = { flags: none, valued: none, arguments: 0 };
  return { is: 'Wrapper', names, allowed: [allowed], ...defaults, ...own };
};

/** The first entry with the name counts. */
const known: readonly Program[] = [
  // With -c the first word that is no option is the code, otherwise it is the file: all later words
  // are arguments in both cases.
  interpreter(
    /^(?:sh|r?bash|dash|ash|zsh|[lm]?ksh|oksh|posh|yash)$/,
    ["sh -c 'SCRIPT' sh {stream}", 'sh FILE {stream}'],
    {
      flags:
        /^[-+][abcefhilmnpsuvxrBCEHP]+$|^--(?:norc|noprofile|posix|login|restricted|noediting|verbose)$/,
      valued: /^[-+][abcefhilmnpsuvxrBCEHP]*[oO]$|^--(?:rcfile|init-file)$/,
    },
  ),
  interpreter(
    /^(?:node|nodejs|iojs|tsx|ts-node)$/,
    ['node FILE.mjs {stream}', "node --eval 'CODE' -- {stream}"],
    {
      flags:
        /^--(?!eval=|print=|run=)[\w-]+=|^--(?:no-[\w-]+|enable-source-maps|expose[-_]gc|preserve-symlinks(?:-main)?|permission|experimental-(?:strip-types|transform-types|vm-modules)|trace-(?:warnings|deprecation|uncaught))$/,
      valued:
        /^(?:-r|--require|--import|--loader|--env-file|-C|--conditions|--disable-warning|--input-type|--title)$/,
      code: /^(?:-e|-p|-pe|--eval|--print)$/,
      gluedCode: /^--(?:eval|print)=/,
      script: file,
    },
  ),
  interpreter(/^deno$/, ['deno run FILE.ts {stream}'], {
    flags:
      /^-[AqRWNESI]+$|^--(?:(?:allow|deny)-\w+|no-[\w-]+|quiet|cached-only|unstable[\w-]*)$|^--[\w-]+=/,
    subcommand: 'run',
    script: file,
  }),
  interpreter(/^bun$/, ['bun run FILE.ts {stream}'], {
    flags: /^--(?:smol|silent)$/,
    subcommand: 'run',
    script: file,
  }),
  interpreter(/^(?:python|pypy)$/, ['python FILE.py {stream}', "python -c 'CODE' {stream}"], {
    flags: /^-[bBdEhiIOqsSuvVx]+$/,
    valued: /^-[WX]$/,
    code: /^-[bBdEhiIOqsSuvVx]*c$/,
    endsWithCode: true,
  }),
  // Omits -n, -p and -i, which open the later words as files: a file name that begins or ends with
  // | is a command.
  interpreter(/^perl$/, ['perl FILE.pl {stream}', "perl -e 'CODE' -- {stream}"], {
    flags: /^-(?:[wWtTXf]+|[IMm].+)$/,
    valued: /^-I$/,
    code: /^-[wWtTXf]*[eE]$/,
  }),
  interpreter(/^j?ruby$/, ['ruby FILE.rb {stream}', "ruby -e 'CODE' -- {stream}"], {
    flags: /^-(?:w|W\d?|U|[IrE].+)$|^--(?:yjit|jit|(?:disable|enable)[-=][\w-]+)$/,
    valued: /^-[IrE]$/,
    code: /^-w?e$/,
  }),
  interpreter(/^php$/, ['php FILE.php {stream}', "php -r 'CODE' -- {stream}"], {
    flags: /^-(?:[qn]+|d.+)$/,
    valued: /^-[dc]$/,
    code: /^-[rf]$/,
  }),
  interpreter(/^(?:lua|luajit)$/, ['lua FILE.lua {stream}'], {
    flags: /^-(?:[EWv]|l.+)$/,
    valued: /^-[le]$/,
  }),
  interpreter(/^tclsh$/, ['tclsh FILE.tcl {stream}'], {}),
  interpreter(/^java$/, ['java -jar FILE.jar {stream}', 'java -cp PATH CLASS {stream}'], {
    flags: /^-(?:[DX].*|ea.*|da.*|server|client)$|^--(?:enable-preview|[\w-]+=.*)$/,
    valued: /^(?:-cp|-classpath|-p|--class-path|--module-path|--add-modules)$/,
    code: /^(?:-jar|-m|--module)$/,
    endsWithCode: true,
    script: /^[^@]/,
  }),
  interpreter(/^[gmn]?awk$/, ["awk -- 'PROGRAM' {stream}", 'awk -f FILE -- {stream}'], {
    flags: /^-[Fv].+$/,
    valued: /^-[Fv]$/,
    code: /^-f$/,
    permutes: true,
  }),
  interpreter(/^g?sed$/, ["sed -e 'SCRIPT' -- {stream}"], {
    flags: /^-[nErsuz]+$/,
    code: /^-[nErsuz]*[ef]$/,
    permutes: true,
  }),
  interpreter(/^jq$/, ["jq 'PROGRAM' -- {stream}"], { flags: /^-[nrcseSaCMj]+$/, permutes: true }),

  // Omits -S, whose value is a command line of its own.
  wrapper(/^env$/, 'env NAME=VALUE PROGRAM {stream}', {
    flags: /^(?:-|-[iv]+|--ignore-environment|--unset=.+|--chdir=.+)$/,
    valued: /^(?:-u|--unset|-C|--chdir)$/,
    assigns: true,
  }),
  wrapper(/^nice$/, 'nice -n 10 PROGRAM {stream}', {
    flags: /^-(?:n?[-+]?\d+)$|^--adjustment=/,
    valued: /^(?:-n|--adjustment)$/,
  }),
  wrapper(/^ionice$/, 'ionice -c 3 PROGRAM {stream}', {
    flags: /^-(?:t|[cn]\d)$/,
    valued: /^-[cn]$/,
  }),
  wrapper(/^chrt$/, 'chrt -b 0 PROGRAM {stream}', { flags: /^-[abfior]+$/, arguments: 1 }),
  wrapper(/^taskset$/, 'taskset -c 0 PROGRAM {stream}', { flags: /^-[ac]+$/, arguments: 1 }),
  wrapper(/^(?:nohup|busybox|toybox)$/, 'nohup PROGRAM {stream}'),
  wrapper(/^setsid$/, 'setsid PROGRAM {stream}', { flags: /^-[cfw]+$|^--(?:ctty|fork|wait)$/ }),
  wrapper(/^stdbuf$/, 'stdbuf -oL PROGRAM {stream}', {
    flags: /^-[ioe].+$|^--(?:input|output|error)=/,
    valued: /^(?:-[ioe]|--(?:input|output|error))$/,
  }),
  wrapper(/^timeout$/, 'timeout 60 PROGRAM {stream}', {
    flags:
      /^-(?:[fpv]+|[ks].+)$|^--(?:foreground|preserve-status|verbose|kill-after=.+|signal=.+)$/,
    valued: /^(?:-[ks]|--kill-after|--signal)$/,
    arguments: 1,
  }),
  wrapper(/^time$/, 'time -p PROGRAM {stream}', { flags: /^-[apqv]+$/, valued: /^-[fo]$/ }),
  wrapper(/^(?:exec|command)$/, 'exec PROGRAM {stream}', { flags: /^-[clp]+$/, valued: /^-a$/ }),
  wrapper(/^(?:tini(?:-static)?|catatonit)$/, 'tini -- PROGRAM {stream}', {
    flags: /^-[gsvw]+$/,
    valued: /^-[ep]$/,
  }),
  wrapper(/^dumb-init$/, 'dumb-init -- PROGRAM {stream}', {
    flags: /^-[cv]+$|^--(?:single-child|verbose|rewrite=.+)$/,
    valued: /^-r$/,
  }),
  wrapper(/^sudo$/, 'sudo -u USER PROGRAM {stream}', {
    flags: /^-[EHPSkn]+$/,
    valued: /^-[ugCp]$/,
    assigns: true,
  }),
  wrapper(/^doas$/, 'doas -u USER PROGRAM {stream}', { flags: /^-n$/, valued: /^-[uC]$/ }),
  wrapper(/^(?:gosu|su-exec)$/, 'gosu USER PROGRAM {stream}', { arguments: 1 }),
  wrapper(/^chroot$/, 'chroot FOLDER PROGRAM {stream}', {
    flags: /^--(?:userspec=.+|groups=.+|skip-chdir)$/,
    arguments: 1,
  }),
  wrapper(/^setpriv$/, 'setpriv --reuid=1000 PROGRAM {stream}', {
    flags: /^--(?:[\w-]+=.+|no-new-privs|nnp|(?:clear|init|keep)-groups|reset-env)$/,
    valued: /^--(?:re|r|e)[ug]id$|^--groups$/,
  }),

  tool(/^(?:bsd|g)?tar$/, 'tar -xf FILE -- {stream}'),
  tool(/^(?:rsync|scp|git|zip|wget|tcpdump)$/, 'rsync -a -- {stream} FOLDER'),

  // These programs pass their arguments to a shell, evaluate them, or take them for the command
  // line of another program.
  {
    is: 'Opaque',
    names: anyOf(`
      su runuser ssh slogin sshpass scp sftp script watch parallel xargs find flock strace ltrace
      gdb unshare nsenter chpst systemd-run docker podman nerdctl kubectl crictl ld ld-linux.* socat
      batch expect screen tmux start-stop-daemon npm npx pnpm pnpx yarn bunx corepack uv uvx pipx
      bundle rake make gmake ninja cargo go m4 cpp t?csh fish elvish nu xonsh pwsh powershell
      osascript ipython rscript julia octave guile racket groovy scala kotlin erl elixir iex mix ghc
      runghc runhaskell ocaml clojure clj irb wish gnuplot dc bc vi vim ed nvim emacs nano sqlite
      psql mysql mariadb mongosh? redis-cli`),
    allowed: ["sh -c 'SCRIPT' sh {stream}"],
  },
];

function tool(names: RegExp, allowed: string): Program {
  return { is: 'Tool', names, allowed: [allowed] };
}

function anyOf(names: string): RegExp {
  return new RegExp(`^(?:${names.trim().split(/\s+/).join('|')})$`);
}

/** Undefined: the program is not listed. */
export function programOf(word: string): Program | undefined {
  const spellings = [fileOf(word).toLowerCase(), nameOf(word)];
  return known.find(({ names }) => spellings.some((spelling) => names.test(spelling)));
}

/** The name without its folder. */
export const fileOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** The name without folder and version: `/usr/bin/python3.12` is `python`. */
export const nameOf = (word: string): string =>
  fileOf(word)
    .toLowerCase()
    .replace(/-?\d[\d.]*$/, '');
