import { limitsWords } from '@parley/presentation/limits/limits-words'
import type { Line } from '@parley/presentation/text/span'
import { type ConversationState, modeOf } from '@parley/protocol'
import { runProgram } from '../processes/run-program.ts'
import { ansiLine } from '../view/text/ansi-line.ts'
import { withHome } from './notify.ts'

interface StatusProgramOptions {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Shows the line; null shows the usual status line. */
  readonly show: (line: Line | null) => void
  readonly warn: (reason: string) => void
}

/** Time limit of the program, and least time between two runs. */
const secondMs = 1_000
const maxBytes = 8 * 1024

/** The user's program that writes the status line. Runs when its input has changed, at most once a second. */
export class StatusProgram implements Disposable {
  readonly #options: StatusProgramOptions
  #input = ''
  #shownInput = ''
  #timer: NodeJS.Timeout | null = null
  #isOver = false

  constructor(options: StatusProgramOptions) {
    this.#options = options
  }

  /** Follows the conversation. `branch`: branch of its folder, if known. */
  follow(state: ConversationState, branch: string | null): void {
    this.#input = `${JSON.stringify(statusInput(state, branch))}\n`
    if (this.#timer === null && this.#input !== this.#shownInput) this.#wait(0)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref()
  }

  async #run(): Promise<void> {
    const { argv, env, show, warn } = this.#options
    const input = this.#input
    this.#shownInput = input
    const end = await runProgram({ argv: withHome(argv, env), cwd: '/', env, input, timeLimitMs: secondMs, maxBytes })
    if (this.#isOver) return
    const reason = end.kind === 'failed' ? end.reason : null
    const [text = ''] = end.kind === 'failed' ? [] : end.output.toString('utf8').trimStart().split('\n')
    const line = ansiLine(text)
    show(line.length === 0 ? null : line)
    if (line.length === 0) warn(reason ?? 'it wrote nothing')
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#input !== this.#shownInput) this.#wait(0)
    }, secondMs).unref()
  }
}

/** Returns the input of the program. The names of its fields never change. */
function statusInput({ core }: ConversationState, branch: string | null) {
  const { meta, settings, usage } = core
  const { last, total, contextWindow } = usage
  return {
    conversationId: meta.conversationId,
    name: meta.name ?? meta.title,
    cwd: meta.cwd,
    branch,
    environment: settings.environment ?? null,
    provider: settings.modelProvider,
    model: settings.model,
    effort: settings.effort ?? null,
    mode: modeOf(settings),
    sandbox: settings.sandbox,
    network: settings.network === true,
    enforcement: settings.enforcement,
    approvals: settings.approvalPolicy,
    limits: limitsWords(core),
    tokens: {
      total: total.inputTokens + total.outputTokens,
      context: last === null ? null : last.inputTokens + last.outputTokens,
      contextWindow,
    },
    costUsd: total.costUsd ?? null,
  }
}
