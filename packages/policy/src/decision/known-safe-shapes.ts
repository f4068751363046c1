/** Programs whose arguments are a small language: the shapes of it that only look. */
export type ShapeCheck = (args: readonly string[]) => boolean

const findTests = new Set(
  '-empty -print -print0 -prune -not ! ( ) , -a -and -o -or -true -false -depth -ls -xdev -mount -readable -writable -executable -nouser -nogroup -daystart -quit'.split(
    ' ',
  ),
)
const findTestsWithValue = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -perm -user -group -uid -gid -links -inum -samefile -lname -ilname -fstype -printf'.split(
    ' ',
  ),
)

function findOnlyLooks(args: readonly string[]): boolean {
  let index = 0
  while (args[index] === '-H' || args[index] === '-P') index++
  while (index < args.length && !/^[-(),!]/.test(args[index] ?? '')) index++
  for (; index < args.length; index++) {
    const word = args[index] ?? ''
    if (findTestsWithValue.has(word)) index++
    else if (!findTests.has(word)) return false
  }
  return index === args.length
}

const printedLines = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/

/** `sed -n 10,20p file`: any other sed script can write files or run commands. */
function sedOnlyPrints([option, script, ...files]: readonly string[]): boolean {
  return option === '-n' && printedLines.test(script ?? '') && files.every((file) => !file.startsWith('-'))
}

const plainFormat = /^(?!-)(?:[^%\\]|%%|%-?\d{0,3}s|\\[nt\\])*$/

/** Only `%s`: bash's `-v` and `%n` set variables, and zsh computes (and so runs) what `%d` is given. */
function printfOnlyPrints([format]: readonly string[]): boolean {
  return format !== undefined && plainFormat.test(format)
}

const fileTest = /^-[defhLprswxSbcnz]$/

/** File and text tests. `-v` and the number tests compute, and so run, what they are given in some shells. */
function testOnlyLooks(args: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = args
  if (args.length === 2) return fileTest.test(first)
  if (args.length !== 3) return false
  if (first === '!') return fileTest.test(second)
  return /^(?:=|==|!=)$/.test(second) && [first, third].every((text) => !/^[-(!]/.test(text))
}

function onlyAsksForAName([option, name, ...rest]: readonly string[]): boolean {
  return option === '-v' && name !== undefined && rest.length === 0
}

/** One plain folder; whether it may be entered depends on where it leads. */
function entersOneFolder([folder = '', ...rest]: readonly string[]): boolean {
  return rest.length === 0 && /^[^-+]/.test(folder)
}

/** Whatever it is given, it only computes and prints. */
const anything = (): boolean => true

export const shapeChecks: ReadonlyMap<string, ShapeCheck> = new Map<string, ShapeCheck>([
  ['cd', entersOneFolder],
  ['command', onlyAsksForAName],
  ['echo', anything],
  ['expr', anything],
  ['false', anything],
  ['find', findOnlyLooks],
  ['printf', printfOnlyPrints],
  ['sed', sedOnlyPrints],
  ['test', testOnlyLooks],
  ['true', anything],
])

/** Those that look at everything below a folder. */
export const shapesBelow: ReadonlySet<string> = new Set(['find'])
