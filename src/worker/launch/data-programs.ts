// Which programs take arguments as data, and in which places? In these places, a stream's name or
// parameter is neither run, nor does it choose a file that is written.

export type DataProgram = {
  /** Matches the whole file name of the program. */
  readonly name: RegExp;
  /** Allowed templates, which the message shows to the author of a refused template. */
  readonly allowed: readonly string[];
  /** Options without a value. */
  readonly flags: RegExp;
  /** Options whose value is data, whatever it is. */
  readonly values: RegExp;
  /** The beginning of an operand, written in the template. Omitted: no operand is data. */
  readonly operand?: RegExp;
  /** After `--` every operand is data. */
  readonly endsOptions?: true;
  /** Why other operands are not data. */
  readonly otherwise: string;
  /** Why no argument is data beside these words. */
  readonly spoiltBy?: (words: readonly string[]) => string | undefined;
};

const none = /^(?!)/;
/** Operands that are no options: a file, an address. */
const noOption = /^[^-]/;

/**
 * Formats of inputs and outputs that name a single medium. The address of any other format may be a
 * program or a list of files: lavfi (a graph of filters, some of which write files or load
 * libraries), concat, tee, avisynth, vapoursynth.
 */
const FORMATS = new Set(
  `aac adts alaw alsa dash flac flv h264 hevc hls image2 image2pipe matroska mjpeg mov mp3 mp4 mpegts
  mulaw null ogg opus rawvideo rtp rtp_mpegts rtsp s16le segment u8 v4l2 wav webm`.split(/\s+/),
);

function spoiltByFormat(words: readonly string[]): string | undefined {
  const at = words.findIndex(
    (word, place) => word === '-f' && !FORMATS.has(words[place + 1] ?? ''),
  );
  return at < 0 ? undefined : `with -f ${words[at + 1] ?? ''} an address may be more than that`;
}

/** Options such as -O name a file after the address, and so does #1 in a file name. */
const namesFile =
  /^-[#0-46aBfgGiIjklLMnNpqRsSvZ]*[OJ]|^--remote-(?:name|header-name)|^(?!https?:).*#\d/;

const dataPrograms: readonly DataProgram[] = [
  // An unlisted option of ffmpeg is followed by its value. Only addresses are allowed as outputs,
  // since other outputs are files. Filters are refused, since they are programs.
  {
    name: /^ffmpeg$/,
    allowed: ['ffmpeg -i {param.url}', 'ffmpeg -i {param.url} -f flv rtmp://HOST/live/{stream}'],
    flags:
      /^-(?:y|n|re|[avsd]n|no(?:stdin|stats|autorotate|autoscale|accurate_seek)|hide_banner|stats|shortest|copyts|start_at_zero|xerror|ignore_unknown|copy_unknown|bitexact)$/,
    values: /^-(?:i|rtsp_transport|metadata(?::[\w:]+)?|ss|t|to|r|s|b(?::[\w:]+)?)$/,
    operand: /^(?:rtmps?|rtsps?|srt|https?):\/\/[^/?#]+[/?]/,
    otherwise: 'ffmpeg writes a file unless its output begins with an address',
    spoiltBy: spoiltByFormat,
  },
  {
    name: /^ffprobe$/,
    allowed: ['ffprobe -i {param.url}'],
    flags: /^-(?:hide_banner|show_(?!entries$)[a-z_]+|count_[a-z]+|pretty|unit|prefix|bitexact)$/,
    values: /^-(?:i|rtsp_transport)$/,
    operand: noOption,
    otherwise: 'ffprobe could treat it as an option',
    spoiltBy: spoiltByFormat,
  },
  // The address has to begin in the template: @FILE in its place is a list of addresses whose
  // answers are written into files. -d, -F and -H read files, too.
  {
    name: /^curl$/,
    allowed: ['curl -sN http://HOST/{stream}', 'curl --data-raw {stream} http://HOST'],
    flags:
      /^-[#0-46aBfgGiIjklLMnNpqRsSvZ]+$|^--(?:url|silent|show-error|no-buffer|location|fail|fail-with-body|get|compressed|insecure|ipv4|ipv6|http1\.[01]|http2|globoff|include|head|verbose|no-progress-meter)$/,
    values: /^(?:--data-raw|-u|--user)$/,
    operand: /^https?:\/\//,
    otherwise: 'curl could treat it as an option, or as a file of addresses',
    spoiltBy: (words) =>
      words.some((word) => namesFile.test(word))
        ? 'curl writes a file named after the address'
        : undefined,
  },
  {
    name: /^cat$/,
    allowed: ['cat -- {param.file}'],
    flags: /^-[AbeEnstTuv]+$/,
    values: none,
    operand: noOption,
    endsOptions: true,
    otherwise: 'cat could treat it as an option',
  },
  {
    name: /^(?:head|tail)$/,
    allowed: ['tail -n +1 -F -- {param.file}'],
    flags: /^-(?:[fFqvz]+|[nc]\S+|\d+)$|^--(?:follow|retry|quiet|silent|verbose|zero-terminated)$/,
    values: none,
    operand: noOption,
    endsOptions: true,
    otherwise: 'tail could treat it as an option',
  },
  {
    name: /^mosquitto_sub$/,
    allowed: ['mosquitto_sub -h HOST -t {stream}'],
    flags: /^-[cdENRSv]$|^--(?:pretty|quiet|nodelay|retained-only|insecure)$/,
    values: /^(?:-[thpuPiL]|--(?:topic|host|port|username|pw|id|url))$/,
    otherwise: 'mosquitto_sub could treat it as an option',
  },
  // Unlike gst-launch-1.0, whose arguments are a program.
  {
    name: /^gst-play-1\.0$/,
    allowed: ['gst-play-1.0 --no-interactive -- {param.url}'],
    flags: /^-[vq]$|^--(?:verbose|quiet|no-interactive|no-position|gapless|use-playbin3)$/,
    values: none,
    operand: noOption,
    endsOptions: true,
    otherwise: 'gst-play-1.0 could treat it as an option, and some options run programs',
  },
];

export const dataProgramOf = (file: string): DataProgram | undefined =>
  dataPrograms.find(({ name }) => name.test(file));

type Misplaced = { readonly at: number; readonly because: string };

/**
 * The first argument of the program at `from` that contains foreign text in a place where it is
 * more than data. `literalPart` returns the template's own text before any such text in a word.
 */
export function misplacedIn(
  words: readonly string[],
  from: number,
  program: DataProgram,
  literalPart: (word: string) => string | undefined,
): Misplaced | undefined {
  const { flags, values, operand, endsOptions, otherwise, spoiltBy } = program;
  const spoilt = spoiltBy?.(words.slice(from));
  let isPastOptions = false;
  for (let at = from + 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const literal = literalPart(word);
    if (literal !== undefined) {
      if (spoilt !== undefined) return { at, because: spoilt };
      const [option = ''] = literal.split('=', 1);
      const isValue = literal.startsWith('--') && literal.includes('=') && values.test(option);
      const isOperand = (isPastOptions && endsOptions === true) || operand?.test(literal) === true;
      if (!isOperand && !isValue) return { at, because: otherwise };
    } else if (isPastOptions || !word.startsWith('-') || flags.test(word) || isGlued(word))
      continue;
    else if (word === '--') isPastOptions = true;
    else {
      at += 1;
      const value = words[at] ?? '';
      if (literalPart(value) === undefined) continue;
      const because = spoilt ?? (values.test(word) ? undefined : `it is the value of ${word}`);
      if (because !== undefined) return { at, because };
    }
  }
  return undefined;
}

/** The value of the option is in the same word. */
const isGlued = (word: string): boolean => /^--[\w-]+=/.test(word);
