/**
 * Arguments with which a program only looks. Everything else is unknown, even an abbreviated long option, since a
 * future option may run or write something.
 */
export interface FlagTool {
  /** Short options without a value, which may be clustered. */
  readonly flags?: string
  /** Short options with a value, attached or as the next word. */
  readonly valueFlags?: string
  readonly long?: string
  readonly valueLong?: string
  /** Accepts a number as an option (`head -5`). */
  readonly numeric?: true
  readonly maxOperands?: number
  readonly operand?: RegExp
  /** Reads all files below a folder or lists their names: always, or with one of these options. */
  readonly readsBelow?: 'always' | readonly string[]
  /** Excludes folders as operands: the program would follow links in them to files that no operand names. */
  readonly filesOnly?: true
}

const digest: FlagTool = { flags: 'btz', long: '--binary --text --tag --zero' }
const unlimited: FlagTool = {}

// Not listed: options that read a list of names (--files0-from, -f), write (-o, --output), run something
// (--pre, --compress-program, -l of diff), follow links while walking (-R, -L), decompress (-z), or never end (-f).
export const flagTools: ReadonlyMap<string, FlagTool> = new Map(
  Object.entries<FlagTool>({
    arch: { maxOperands: 0 },
    basename: { flags: 'az', valueFlags: 's', long: '--multiple --zero', valueLong: '--suffix' },
    cat: {
      flags: 'AbeEnstTuv',
      long: '--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    },
    cmp: { flags: 'bls', valueFlags: 'ni', long: '--print-bytes --verbose --quiet --silent', valueLong: '--bytes' },
    comm: { flags: '123z', long: '--check-order --nocheck-order --total' },
    cut: {
      flags: 'nsz',
      valueFlags: 'bcdf',
      long: '--complement --only-delimited',
      valueLong: '--bytes --characters --delimiter --fields --output-delimiter',
    },
    date: { flags: 'uR', long: '--utc --universal --rfc-email', maxOperands: 1, operand: /^\+/ },
    df: {
      flags: 'ahHiklPT',
      valueFlags: 't',
      long: '--all --human-readable --inodes --local --portability --print-type --total',
      valueLong: '--type',
    },
    diff: {
      flags: 'abBcdeEinpqstuwyZ',
      valueFlags: 'CUW',
      long: '--brief --unified --context --side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --report-identical-files --text --minimal --strip-trailing-cr --color --suppress-common-lines',
      valueLong: '--unified --context --width --color',
      maxOperands: 2,
      filesOnly: true,
    },
    dirname: { flags: 'z', long: '--zero' },
    du: {
      flags: 'abchkmsSx',
      valueFlags: 'd',
      long: '--all --apparent-size --bytes --total --human-readable --summarize --separate-dirs --one-file-system',
      valueLong: '--max-depth --exclude --threshold',
      readsBelow: 'always',
    },
    file: {
      flags: 'bhikr0',
      long: '--brief --no-dereference --mime --mime-type --mime-encoding --keep-going --print0',
    },
    fold: { flags: 'bs', valueFlags: 'w', long: '--bytes --spaces', valueLong: '--width' },
    grep: {
      flags: 'EFGPacHhilLnoqrsvwxyIbUT',
      valueFlags: 'emABC',
      long: '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --count --with-filename --no-filename --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet --silent --recursive --no-messages --invert-match --word-regexp --line-regexp --byte-offset --initial-tab --null --color --colour',
      valueLong:
        '--regexp --max-count --after-context --before-context --context --include --exclude --exclude-dir --color --colour --binary-files --label',
      numeric: true,
      readsBelow: ['r', '--recursive'],
    },
    groups: unlimited,
    head: {
      flags: 'qvz',
      valueFlags: 'cn',
      long: '--quiet --silent --verbose --zero-terminated',
      valueLong: '--bytes --lines',
      numeric: true,
    },
    id: { flags: 'gGnruz', long: '--group --groups --name --real --user --zero' },
    ls: {
      flags: '1aAbBcCdFgGhHiklLmnNopqQrRsStuUvxXZ',
      valueFlags: 'ITw',
      long: '--all --almost-all --author --escape --ignore-backups --color --directory --classify --file-type --full-time --group-directories-first --no-group --human-readable --si --inode --kibibytes --dereference --numeric-uid-gid --literal --quote-name --reverse --recursive --size --context --zero',
      valueLong:
        '--block-size --color --classify --format --hide --ignore --indicator-style --quoting-style --sort --time --time-style --width',
      readsBelow: ['R', '--recursive'],
    },
    md5sum: digest,
    nl: { flags: 'p', valueFlags: 'bdfhilnsvw', long: '--no-renumber', valueLong: '--body-numbering --number-width' },
    nproc: { long: '--all', maxOperands: 0 },
    od: {
      flags: 'abcdfilosvx',
      valueFlags: 'AjNt',
      long: '--output-duplicates',
      valueLong: '--address-radix --skip-bytes --read-bytes --format --endian',
    },
    paste: { flags: 'sz', valueFlags: 'd', long: '--serial --zero-terminated', valueLong: '--delimiters' },
    pwd: { flags: 'LP', long: '--logical --physical', maxOperands: 0 },
    readlink: {
      flags: 'efmnqsvz',
      long: '--canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --zero',
    },
    realpath: {
      flags: 'eLmPqsz',
      long: '--canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
      valueLong: '--relative-to --relative-base',
    },
    rev: unlimited,
    rg: {
      flags: 'aFHiIlnNopPqsSUuvVwxc0.',
      valueFlags: 'ABCdEegjMmrtT',
      long: '--text --fixed-strings --with-filename --no-filename --ignore-case --files --files-with-matches --files-without-match --line-number --no-line-number --only-matching --pretty --pcre2 --quiet --case-sensitive --smart-case --multiline --multiline-dotall --unrestricted --invert-match --word-regexp --line-regexp --count --count-matches --null --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-messages --heading --no-heading --column --no-column --vimgrep --json --stats --trim --passthru --type-list --version --crlf --byte-offset --one-file-system --no-config',
      valueLong:
        '--after-context --before-context --context --color --colors --max-depth --encoding --regexp --glob --iglob --max-columns --max-count --max-filesize --replace --sort --sortr --threads --type --type-not --context-separator --field-match-separator',
      readsBelow: 'always',
    },
    seq: {
      flags: 'w',
      valueFlags: 'fs',
      long: '--equal-width',
      valueLong: '--format --separator',
      maxOperands: 3,
      operand: /^\d+(?:\.\d+)?$/,
    },
    sha1sum: digest,
    sha256sum: digest,
    sort: {
      flags: 'bcCdfghimMnrRsuVz',
      valueFlags: 'kt',
      long: '--ignore-leading-blanks --check --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --merge --month-sort --numeric-sort --reverse --random-sort --stable --unique --version-sort --zero-terminated',
      valueLong: '--key --field-separator --sort',
      operand: /^[^+]/,
    },
    stat: {
      flags: 'fLtx',
      valueFlags: 'c',
      long: '--dereference --file-system --terse',
      valueLong: '--format --printf',
    },
    tac: { flags: 'b', valueFlags: 's', long: '--before', valueLong: '--separator' },
    tail: {
      flags: 'qvz',
      valueFlags: 'cn',
      long: '--quiet --silent --verbose --zero-terminated',
      valueLong: '--bytes --lines',
      numeric: true,
      operand: /^(?!\+.*f)/,
    },
    tr: { flags: 'cCdst', long: '--complement --delete --squeeze-repeats --truncate-set1', maxOperands: 2 },
    uname: {
      flags: 'aimnoprsv',
      long: '--all --kernel-name --nodename --kernel-release --machine --operating-system',
      maxOperands: 0,
    },
    // A second operand is the output file.
    uniq: {
      flags: 'cdDiuz',
      valueFlags: 'fsw',
      long: '--count --repeated --ignore-case --unique --zero-terminated',
      valueLong: '--skip-fields --skip-chars --check-chars',
      maxOperands: 1,
      operand: /^[^+]/,
    },
    wc: { flags: 'clLmw', long: '--bytes --chars --lines --max-line-length --words' },
    which: { flags: 'a' },
    whoami: { maxOperands: 0 },
  }),
)
