import type { Parley } from '@parley/client'
import type { Line } from '@parley/presentation/text/span'
import type { ConversationState, Overrides } from '@parley/protocol'
import { notificationSequence } from '../terminal/notification.ts'
import type { Signal, Telling } from '../view/title-and-bell.ts'
import { notifyUser } from './notify.ts'
import { StatusProgram } from './status-program.ts'
import { readUserSettings, type UserLook, type UserSettings, usualSettings } from './user-settings.ts'

interface ProgramsParts {
  readonly env: NodeJS.ProcessEnv
  readonly write: (text: string) => void
  /** Shows a warning. */
  readonly warn: (text: string) => void
  /** Shows a line of the user's in place of the status line; null shows ours. */
  readonly showStatus: (line: Line | null) => void
  /** Draws as the user has chosen. */
  readonly showLook: (look: UserLook) => void
}

/** Reactions around the window that the user's configuration wants: notifications, and programs of the user's own. */
export class UserPrograms implements Disposable {
  readonly #parts: ProgramsParts
  #settings: UserSettings = usualSettings
  #status: StatusProgram | null = null
  #followed: { readonly state: ConversationState; readonly branch: string | null } | null = null
  /** Keys of the configuration whose program was said to fail. */
  readonly #failed = new Set<string>()

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** Reads the settings from this window's own server; the usual ones count until then. */
  async load(parley: Pick<Parley, 'request'>, params: Overrides & { readonly cwd: string }): Promise<void> {
    const isFirst = this.#settings === usualSettings
    this.#settings = await readUserSettings(parley, params)
    const { statusLine: argv, look } = this.#settings
    const { env, showStatus: show, showLook } = this.#parts
    // A choice by /theme stays until the program ends.
    if (isFirst) showLook(look)
    const warn = (reason: string) => this.#warnOnce('tui.status_line', argv ?? [], reason)
    this.#status?.[Symbol.dispose]()
    this.#status = argv === null ? null : new StatusProgram({ argv, env, show, warn })
    if (this.#followed !== null) this.#status?.follow(this.#followed.state, this.#followed.branch)
  }

  /** Shows a warning. */
  warn(text: string): void {
    this.#parts.warn(text)
  }

  /** Follows the conversation on the screen. `branch`: that of its folder, where known. */
  follow(state: ConversationState, branch: string | null): void {
    this.#followed = { state, branch }
    this.#status?.follow(state, branch)
  }

  [Symbol.dispose](): void {
    this.#status?.[Symbol.dispose]()
  }

  /** Sets the window's title, and notifies in the user's way. */
  signal({ title, telling }: Pick<Signal, 'title' | 'telling'>): void {
    const { env, write } = this.#parts
    if (title !== null) write(`\x1b]2;${title}\x07`)
    if (telling === null) return
    const { notifications, notify } = this.#settings
    write(notificationSequence(notifications, telling, env))
    if (notify !== null) void this.#run(notify, telling)
  }

  async #run(argv: readonly string[], telling: Telling): Promise<void> {
    const reason = await notifyUser(argv, telling, this.#parts.env)
    if (reason !== null) this.#warnOnce('notify', argv, reason)
  }

  #warnOnce(key: string, [program = '']: readonly string[], reason: string): void {
    if (this.#failed.has(key)) return
    this.#failed.add(key)
    this.#parts.warn(`The program of \`${key}\` in config.toml failed (${program}): ${reason}`)
  }
}
