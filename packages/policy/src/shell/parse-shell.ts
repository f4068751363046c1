import { flushCompileCache } from 'node:module'
import type { Parser } from 'web-tree-sitter'
import type { SeenCommand } from '../decision/kinds/command/facts.ts'
import { type PlainScript, readPlainScript } from './read-plain-script.ts'
import { commandsIn, fedScripts, looseCommands, type TreeCommand } from './syntax-tree-commands.ts'

interface ShellReading {
  /** Commands with all their words; null when the script is not understood. */
  readonly commands: readonly (readonly string[])[] | null
  readonly because: string | null
  /** Commands found in the text, even when it is not understood. */
  readonly seen: readonly SeenCommand[]
  /** Texts that a shell in the script reads as its own script. */
  readonly fed: readonly string[]
}

export interface ShellParser {
  /** Reads a script and never rejects: an unreadable one is not understood. Loads the wasm files at the first call. */
  read(script: string): Promise<ShellReading>
  [Symbol.dispose](): void
}

export interface ShellParserFiles {
  /** Path of `web-tree-sitter.wasm`. */
  readonly runtimeWasm: string
  /** Path of `tree-sitter-bash.wasm`. */
  readonly grammarWasm: string
}

const maxScriptBytes = 64 * 1024
const maxParts = 200
const maxWords = 500

export function createShellParser(files: ShellParserFiles): ShellParser {
  let loading: Promise<Parser | null> | null = null
  return {
    async read(script) {
      if (Buffer.byteLength(script) > maxScriptBytes) return unread(script, 'it is longer than 64 KiB')
      loading ??= load(files).catch(() => null)
      const parser = await loading
      return parser === null ? unread(script, 'the shell parser could not be loaded') : readSafely(parser, script)
    },
    [Symbol.dispose]() {
      void loading?.then((parser) => parser?.delete())
      loading = Promise.resolve(null)
    },
  }
}

/** Treats a wasm trap as a script that is not understood, so that it neither ends the turn nor allows the call. */
function readSafely(parser: Parser, script: string): ShellReading {
  try {
    return readWith(parser, script)
  } catch {
    return unread(script, 'the shell parser failed')
  }
}

let lastInit: Promise<void> = Promise.resolve()

async function load({ runtimeWasm, grammarWasm }: ShellParserFiles): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter')
  disableWasmTierUp()
  // Calls are made one at a time: two concurrent calls make two memories, and a parser could get the other's.
  const initialised = lastInit.then(() => Parser.init({ locateFile: () => runtimeWasm }))
  lastInit = initialised.catch(() => undefined)
  await initialised
  const parser = new Parser()
  parser.setLanguage(await Language.load(grammarWasm))
  return parser
}

/**
 * Switches off the optimisation of wasm. It takes 500 MB and 200 ms of CPU for the grammar's huge function, and saves 5
 * of 15 µs per command.
 */
function disableWasmTierUp(): void {
  // Late and after the flush, since cached code depends on the flags.
  flushCompileCache()
  const v8 = process.getBuiltinModule('node:v8')
  v8.setFlagsFromString('--no-wasm-tier-up')
  v8.setFlagsFromString('--no-wasm-dynamic-tiering')
}

function readWith(parser: Parser, script: string): ShellReading {
  const plain = readPlainScript(script)
  // The grammar splits a word at an escaped newline, where the shell joins it.
  const source = plain.ok ? script : script.replaceAll('\\\n', '')
  const tree = parser.parse(source)
  if (tree === null) return unread(script, 'it cannot be parsed')
  try {
    const found = commandsIn(tree.rootNode, source)
    const because = objection(plain, found, tree.rootNode.hasError)
    const commands = because === null && plain.ok ? plain.commands.map((words) => words.map(({ text }) => text)) : null
    const loose = tree.rootNode.hasError ? looseCommands(script) : []
    return { commands, because, seen: [...found.map(({ words }) => words), ...loose], fed: fedScripts(found, source) }
  } finally {
    tree.delete()
  }
}

/** Returns why the script is not understood, or null. Both readings must find the same words at the same positions. */
function objection(plain: PlainScript, found: readonly TreeCommand[], hasError: boolean): string | null {
  if (!plain.ok) return plain.because
  if (hasError) return 'it does not parse'
  if (plain.commands.length > maxParts) return `it has more than ${maxParts} parts`
  if (plain.commands.flat().length > maxWords) return `it has more than ${maxWords} words`
  return sameWords(plain.commands, found) ? null : 'two ways to read it differ'
}

function sameWords(commands: Extract<PlainScript, { ok: true }>['commands'], found: readonly TreeCommand[]): boolean {
  if (commands.length !== found.length) return false
  return commands.every((words, index) => {
    const ranges = found[index]?.ranges ?? []
    return words.length === ranges.length && words.every(({ start, end }, at) => isRange(ranges[at], start, end))
  })
}

function isRange(range: readonly [number, number] | undefined, start: number, end: number): boolean {
  return range?.[0] === start && range[1] === end
}

function unread(script: string, because: string): ShellReading {
  return { commands: null, because, seen: looseCommands(script), fed: [] }
}
