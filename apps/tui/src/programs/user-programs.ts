import type { Parley } from '@parley/client'
import type { Line } from '@parley/presentation/text/span'
import type { ConversationState, Overrides } from '@parley/protocol'
import { notificationSequence } from '../terminal/notification.ts'
import type { Signal, Telling } from '../view/title-and-bell.ts'
import { notifyUser } from './notify.ts'
import { StatusProgram } from './status-program.ts'
import { readUserSettings, type UserLook, type UserSettings, usualSettings } from './user-settings.ts'

interface UserProgramsOptions {
  readonly env: NodeJS.ProcessEnv
  readonly write: (text: string) => void
  readonly warn: (text: string) => void
  /** Shows a line of the user's program as status line; null shows the usual one. */
  readonly showStatus: (line: Line | null) => void
  /** Applies the user's choice of theme, motion and widths. */
  readonly showLook: (look: UserLook) => void
}

/** Programs and notifications of the user's configuration that accompany a window. */
export class UserPrograms implements Disposable {
  readonly #options: UserProgramsOptions
  #settings: UserSettings = usualSettings
  #status: StatusProgram | null = null
  #followed: { readonly state: ConversationState; readonly branch: string | null } | null = null
  /** Keys of the configuration with a failed program that was reported. */
  readonly #failed = new Set<string>()

  constructor(options: UserProgramsOptions) {
    this.#options = options
  }

  /** Reads the settings from this window's own server; the usual ones count until then. */
  async load(parley: Pick<Parley, 'request'>, params: Overrides & { readonly cwd: string }): Promise<void> {
    const isFirst = this.#settings === usualSettings
    this.#settings = await readUserSettings(parley, params)
    const { statusLine: argv, look } = this.#settings
    const { env, showStatus: show, showLook } = this.#options
    // A choice by /theme stays until the program ends.
    if (isFirst) showLook(look)
    const warn = (reason: string) => this.#warnOnce('tui.status_line', argv ?? [], reason)
    this.#status?.[Symbol.dispose]()
    this.#status = argv === null ? null : new StatusProgram({ argv, env, show, warn })
    if (this.#followed !== null) this.#status?.follow(this.#followed.state, this.#followed.branch)
  }

  warn(text: string): void {
    this.#options.warn(text)
  }

  /** Follows the conversation on the screen. `branch`: branch of its folder, if known. */
  follow(state: ConversationState, branch: string | null): void {
    this.#followed = { state, branch }
    this.#status?.follow(state, branch)
  }

  [Symbol.dispose](): void {
    this.#status?.[Symbol.dispose]()
  }

  /** Sets the window's title, and notifies the user as configured. */
  signal({ title, telling }: Pick<Signal, 'title' | 'telling'>): void {
    const { env, write } = this.#options
    if (title !== null) write(`\x1b]2;${title}\x07`)
    if (telling === null) return
    const { notifications, notify } = this.#settings
    write(notificationSequence(notifications, telling, env))
    if (notify !== null) void this.#run(notify, telling)
  }

  async #run(argv: readonly string[], telling: Telling): Promise<void> {
    const reason = await notifyUser(argv, telling, this.#options.env)
    if (reason !== null) this.#warnOnce('notify', argv, reason)
  }

  #warnOnce(key: string, [program = '']: readonly string[], reason: string): void {
    if (this.#failed.has(key)) return
    this.#failed.add(key)
    this.#options.warn(`The program of \`${key}\` in config.toml failed (${program}): ${reason}`)
  }
}
