import { type FlagTool, flagTools } from './known-safe-tools.ts'

export interface SafeUse {
  /** Reads or names every file below its folders, or below the current one. */
  readonly readsBelow: boolean
  /** Safe only while no operand is a folder. */
  readonly filesOnly: boolean
}

const plainUse: SafeUse = { readsBelow: false, filesOnly: false }

/**
 * Returns how a command that only reads does so, or null for any other command. Decides by the bare program name and
 * the list of its options; the caller judges the file behind the name and the files among the operands.
 */
export function judgeKnownSafe(argv: readonly string[]): SafeUse | null {
  const [program = '', ...args] = argv
  const shape = shapeChecks.get(program)
  if (shape !== undefined) return shape(args) ? { ...plainUse, readsBelow: shapesBelow.has(program) } : null
  const tool = flagTools.get(program)
  return tool === undefined ? null : judgeFlags(tool, args)
}

function judgeFlags(tool: FlagTool, args: readonly string[]): SafeUse | null {
  const walk: Walk = { used: [], operands: [], rest: [...args] }
  for (let word = walk.rest.shift(); word !== undefined; word = walk.rest.shift()) {
    if (word === '--') for (const operand of walk.rest.splice(0)) walk.operands.push(operand)
    else if (word === '-' || !word.startsWith('-')) walk.operands.push(word)
    else if (!takeOption(tool, word, walk)) return null
  }
  const { maxOperands = Number.POSITIVE_INFINITY, operand = /^/ } = tool
  if (walk.operands.length > maxOperands || !walk.operands.every((word) => operand.test(word))) return null
  return { readsBelow: readsBelow(tool, walk.used), filesOnly: tool.filesOnly ?? false }
}

interface Walk {
  readonly used: string[]
  readonly operands: string[]
  readonly rest: string[]
}

function takeOption(tool: FlagTool, word: string, walk: Walk): boolean {
  if (tool.numeric && /^-\d+$/.test(word)) return true
  return word.startsWith('--') ? takeLong(tool, word, walk) : takeCluster(tool, word.slice(1), walk)
}

function takeLong(tool: FlagTool, word: string, walk: Walk): boolean {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word : word.slice(0, equals)
  walk.used.push(name)
  if (equals >= 0) return lists(tool.valueLong, name)
  return lists(tool.long, name) || (lists(tool.valueLong, name) && takeValue(walk))
}

function takeCluster(tool: FlagTool, cluster: string, walk: Walk): boolean {
  for (const [index, flag] of [...cluster].entries()) {
    walk.used.push(flag)
    if (tool.valueFlags?.includes(flag)) return index < cluster.length - 1 || takeValue(walk)
    if (!tool.flags?.includes(flag)) return false
  }
  return true
}

/** Takes the value of an option. A value with a leading dash may be an option to another build of the program. */
function takeValue(walk: Walk): boolean {
  const value = walk.rest.shift()
  return value !== undefined && (!value.startsWith('-') || /^-\d+$/.test(value))
}

function lists(names: string | undefined, name: string): boolean {
  return names?.split(' ').includes(name) ?? false
}

function readsBelow(tool: FlagTool, used: readonly string[]): boolean {
  if (tool.readsBelow === undefined || tool.readsBelow === 'always') return tool.readsBelow === 'always'
  return tool.readsBelow.some((option) => used.includes(option))
}

/** Check of arguments that are a small language of their own. */
type ShapeCheck = (args: readonly string[]) => boolean

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

/** Accepts `sed -n 10,20p file`. Any other sed script can write files or run commands. */
function sedOnlyPrints([option, script, ...files]: readonly string[]): boolean {
  return option === '-n' && printedLines.test(script ?? '') && files.every((file) => !file.startsWith('-'))
}

const plainFormat = /^(?!-)(?:[^%\\]|%%|%-?\d{0,3}s|\\[nt\\])*$/

/** Accepts only `%s`: bash's `-v` and `%n` set variables, and zsh evaluates, and so runs, the argument of `%d`. */
function printfOnlyPrints([format]: readonly string[]): boolean {
  return format !== undefined && plainFormat.test(format)
}

const fileTest = /^-[defhLprswxSbcnz]$/

/** Accepts tests of files and texts. Some shells evaluate, and so run, the operands of `-v` and of number tests. */
function testOnlyLooks(args: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = args
  if (args.length === 2) return fileTest.test(first)
  if (args.length !== 3) return false
  if (first === '!') return fileTest.test(second)
  return /^(?:=|==|!=)$/.test(second) && [first, third].every((text) => !/^[-(!]/.test(text))
}

function onlyAsksForName([option, name, ...rest]: readonly string[]): boolean {
  return option === '-v' && name !== undefined && rest.length === 0
}

/** Accepts one plain folder. The path it leads to is judged elsewhere. */
function entersOneFolder([folder = '', ...rest]: readonly string[]): boolean {
  return rest.length === 0 && /^[^-+]/.test(folder)
}

/** Accepts all arguments of programs that only compute and print. */
const anything = (): boolean => true

export const shapeChecks: ReadonlyMap<string, ShapeCheck> = new Map<string, ShapeCheck>([
  ['cd', entersOneFolder],
  ['command', onlyAsksForName],
  ['echo', anything],
  ['expr', anything],
  ['false', anything],
  ['find', findOnlyLooks],
  ['printf', printfOnlyPrints],
  ['sed', sedOnlyPrints],
  ['test', testOnlyLooks],
  ['true', anything],
])

/** Programs of `shapeChecks` that read everything below a folder. */
const shapesBelow: ReadonlySet<string> = new Set(['find'])

/** Builtins that a shell runs itself, whatever the search path says, and that only look. */
export const trustedBuiltins: ReadonlySet<string> = new Set('cd command echo false printf pwd test true'.split(' '))
