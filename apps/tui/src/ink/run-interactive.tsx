import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import type { RpcError } from '@parley/rpc'
import { exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { explainRejection } from '../cli/messages.ts'
import { ConversationController } from '../conversation/conversation-controller.ts'
import type { Extra } from '../conversation/open-conversation.ts'
import { openPromptHistory } from '../conversation/prompt-history.ts'
import type { Start } from '../conversation/start-conversation.ts'
import { guardAgainstKill } from '../terminal/hold-terminal.ts'
import { hasTerminal, measure, reflowsRows, sayNoTerminal } from '../terminal/port.ts'
import { createEarlyPainter } from './early-painter.ts'
import { holdScreen, loadInk } from './hold-screen.ts'
import { Stage } from './stage.ts'
import { createSuspension } from './suspension.ts'

interface Ending {
  /** Why what the command line asked for could not be opened. */
  readonly rejection: RpcError | null
  /** How to come back; null when nothing is kept. */
  readonly farewell: string | null
}

/** The interactive program, from the first frame to the line that says how to come back. Resolves to the exit code. */
export async function runInteractive(launch: Launch, start: Start, extra: Extra = {}): Promise<number> {
  const { stdout, stderr } = process
  if (!hasTerminal()) return sayNoTerminal()
  // Ink asks for it while it is loaded, whatever folder the conversation has.
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
  const colours = (env['NO_COLOR'] ?? '') === ''
  const end = Promise.withResolvers<RpcError | null>()
  const stage = new Stage({
    painter: createEarlyPainter((text) => stdout.write(text), colours),
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    measure: () => measure(stdout),
    homeFolder,
    reflows: reflowsRows(env),
    signal: ({ title, ring }) => stdout.write(titleSequence(title) + ringSequence(ring)),
    onIntent: (intent) =>
      intent.kind === 'suspend' ? suspension.suspend() : void controller.run(intent).catch(end.reject),
  })
  const controller = new ConversationController({
    launch,
    start,
    extra,
    screen: stage,
    homeFolder,
    prompts: openPromptHistory(launch.home, env),
    onEnd: end.resolve,
  })
  const screen = holdScreen({
    stage,
    colours,
    onError: end.reject,
    onKeys: (events) => stage.dispatch(...events.map((event) => ({ kind: 'key', event }) as const)),
    onEnd: () => end.resolve(null),
  })
  const suspension = createSuspension(screen)
  let guard: Disposable | null = null
  const onInterrupt = () => stage.dispatch({ kind: 'signal' })
  const onResize = () => stage.resized()
  process.on('SIGINT', onInterrupt)
  stdout.on('resize', onResize)
  try {
    stage.dispatch(...firstMessage(start))
    void controller.start().catch(end.reject)
    guard = guardAgainstKill()
    void loadInk(stage, colours).catch(end.reject)
    const rejection = await end.promise
    return { rejection, farewell: controller.farewell }
  } finally {
    stdout.off('resize', onResize)
    suspension[Symbol.dispose]()
    screen[Symbol.dispose]()
    stage[Symbol.dispose]()
    guard?.[Symbol.dispose]()
    await controller[Symbol.asyncDispose]()
    process.off('SIGINT', onInterrupt)
  }
}

function firstMessage(start: Start) {
  if (start.kind !== 'new' || start.prompt === null) return []
  const { prompt: text, flags } = start
  const images = (flags.image ?? []).map((path) => fromWorkingFolder(path))
  return [{ kind: 'hold', message: { messageId: randomUUID(), text, images, when: 'steer' } } as const]
}

function titleSequence(title: string | null): string {
  return title === null ? '' : `\x1b]2;${title}\x07`
}

/** The bell, and for terminals that show notifications the reason. */
function ringSequence(ring: string | null): string {
  return ring === null ? '' : `\x07\x1b]9;${ring}\x07`
}
