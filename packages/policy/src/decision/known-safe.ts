import { shapeChecks, shapesBelow } from './known-safe-shapes.ts'
import { type FlagTool, flagTools } from './known-safe-tools.ts'

export interface SafeUse {
  /** It reads, or names, every file below the folders it is given, or below the current one. */
  readonly readsBelow: boolean
  /** Safe only as long as no operand is a folder. */
  readonly filesOnly: boolean
}

const plainUse: SafeUse = { readsBelow: false, filesOnly: false }

/**
 * Whether this command only looks. Decided by a bare program name and its own list of options; where that name leads
 * and which files it is given are for the caller to judge.
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
    if (word === '--') walk.operands.push(...walk.rest.splice(0))
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

/** A value that looks like an option may be one to another build of the same program. */
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
