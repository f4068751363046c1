import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { WriteStream } from 'node:tty'
import type { RpcError } from '@parley/rpc'
import { exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { explainRejection } from '../cli/messages.ts'
import { ConversationController } from '../conversation/conversation-controller.ts'
import type { Extra } from '../conversation/open-conversation.ts'
import { openPromptHistory } from '../conversation/prompt-history.ts'
import type { Start } from '../conversation/start-conversation.ts'
import { UserPrograms } from '../programs/user-programs.ts'
import { createSuspension, holdScreen } from '../screen/hold-screen.ts'
import { ScreenController } from '../screen/screen-controller.ts'
import { guardAgainstKill } from '../terminal/hold-terminal.ts'
import { createEarlyPainter, type Painter } from '../terminal/painter.ts'
import { colourDepth, hasTerminal, measure, reflowsRows, sayNoTerminal, tellsBackground } from '../terminal/port.ts'
import type { UiAction } from '../ui/actions.ts'
import type { Screen } from '../view/screen.ts'
import type { Highlight } from '../view/text/span.ts'

interface Ending {
  /** Rejection of the conversation that the command line names; null if it was opened. */
  readonly rejection: RpcError | null
  /** Command that resumes the conversation; null if nothing is kept. */
  readonly farewell: string | null
}

/** Runs the interactive program until the user leaves. Resolves to the exit code. */
export async function runInteractive(launch: Launch, start: Start, extra: Extra = {}): Promise<number> {
  const { stdout, stderr } = process
  if (!hasTerminal()) return sayNoTerminal()
  // Ink reads the working folder as it loads, and throws if it was removed.
  workingFolder()
  const { rejection, farewell } = await runOnTerminal(launch, start, extra)
  if (rejection !== null) stderr.write(`parley: ${explainRejection(rejection)}\n`)
  if (farewell !== null) stdout.write(`${farewell}\n`)
  return rejection === null ? exitCodes.ok : exitCodeOf(rejection.data?.code ?? '')
}

async function runOnTerminal(launch: Launch, start: Start, extra: Extra): Promise<Ending> {
  const { stdout } = process
  const { env } = launch
  const homeFolder = env['HOME'] ?? homedir()
  const end = Promise.withResolvers<RpcError | null>()
  const screen = new ScreenController({
    painter: createEarlyPainter((text) => stdout.write(text)),
    colours: colourDepth(env),
    loadHighlight,
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    measure: () => measure(stdout),
    query: (text) => stdout.write(text),
    homeFolder,
    reflows: reflowsRows(env),
    signal: (signal) => programs.signal(signal),
    onIntent(intent) {
      if (intent.kind === 'suspend') suspension.suspend()
      else if (intent.kind === 'clear') clearWindow(screen, handPainterOver)
      else void conversation.run(intent).catch(end.reject)
    },
  })
  const warn = (text: string) => screen.dispatch({ kind: 'notice', notice: { kind: 'note', level: 'warning', text } })
  const programs = new UserPrograms({ env, write: (text) => stdout.write(text), warn })
  const conversation = new ConversationController({
    programs,
    launch,
    start,
    extra,
    screen,
    homeFolder,
    prompts: openPromptHistory(launch.home, env),
    onEnd: end.resolve,
  })
  const handPainterOver = () => {
    loadInkPainter(() => screen.isOutdated())
      .then((make) => screen.handOver(make))
      .catch(end.reject)
  }
  const held = holdScreen({
    controller: screen,
    handPainterOver,
    onKeys: (events) => screen.press(events),
    onEnd: () => end.resolve(null),
  })
  const suspension = createSuspension(held)
  let guard: Disposable | null = null
  const onInterrupt = () => screen.dispatch({ kind: 'signal' })
  const onResize = () => screen.resized()
  process.on('SIGINT', onInterrupt)
  stdout.on('resize', onResize)
  try {
    screen.dispatch(...firstMessage(start))
    void conversation.start().catch(end.reject)
    guard = guardAgainstKill()
    prepareColours(screen, start, env)
    handPainterOver()
    const rejection = await end.promise
    return { rejection, farewell: conversation.farewell }
  } finally {
    stdout.off('resize', onResize)
    suspension[Symbol.dispose]()
    held[Symbol.dispose]()
    screen[Symbol.dispose]()
    guard?.[Symbol.dispose]()
    await conversation[Symbol.asyncDispose]()
    process.off('SIGINT', onInterrupt)
  }
}

/** Moves all rows into the scrollback by line ends, since sequences for clearing would erase them. */
function clearWindow(screen: ScreenController, handPainterOver: () => void): void {
  const { stdout } = process
  screen.yieldTerminal()
  // The second row, since tmux keeps what is erased from the first one on in its history.
  stdout.write(`${'\n'.repeat(Math.max(1, stdout.rows - 1))}\x1b[2H`)
  handPainterOver()
}

/**
 * Loads Ink, the largest part of the program, while the early painter shows the composer. Returns the function that makes
 * its painter.
 */
async function loadInkPainter(isOutdated: () => boolean): Promise<(first: Screen) => Painter> {
  const { createInkPainter } = await import('./ink-painter.tsx')
  return (first) => {
    // Node's own stream emits `resize` at once and Ink would draw for each of several sizes.
    const stdout = new WriteStream(process.stdout.fd)
    // The end of the keys reports a closed terminal.
    stdout.on('error', () => undefined)
    return createInkPainter({ stdout, stdin: process.stdin, isOutdated }, first)
  }
}

/** Asks for the colour of the background, which comes with the keys. */
const backgroundQuery = '\x1b]11;?\x1b\\'

/** Asks for the background, and for a conversation that is resumed loads the colours of code before it arrives. */
function prepareColours(screen: ScreenController, start: Start, env: Launch['env']): void {
  if (start.kind !== 'new') screen.colourCode()
  if (tellsBackground(env)) process.stdout.write(backgroundQuery)
}

/** Loads what colours code. The grammars of its languages are read as code in them is shown. */
async function loadHighlight(): Promise<Highlight> {
  const { highlightCode } = await import('../highlight/highlight-code.ts')
  return highlightCode
}

function firstMessage(start: Start): readonly UiAction[] {
  if (start.kind !== 'new' || start.prompt === null) return []
  const { prompt: text, flags } = start
  const images = (flags.image ?? []).map((path) => fromWorkingFolder(path))
  return [{ kind: 'hold', message: { messageId: randomUUID(), text, images, when: 'steer' } }]
}
