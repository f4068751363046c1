import type { Parley } from '@parley/client'
import { themeNames } from '@parley/presentation/commands/setting-choices'
import type { Line } from '@parley/presentation/text/span'
import type { ConversationState, Overrides } from '@parley/protocol'
import { type NotificationWay, notificationSequence, notificationWays } from '../terminal/notification.ts'
import type { Look } from '../ui/state/ui-state.ts'
import type { Signal, Telling } from '../view/title-and-bell.ts'
import { notifyUser } from './notify.ts'
import { StatusProgram } from './status-program.ts'

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

/** Settings of the window itself, from the user's configuration; a project cannot set them. */
interface UserSettings {
  /** Program that gets notifications as JSON, with its words; null without one. */
  readonly notify: readonly string[] | null
  readonly notifications: NotificationWay
  /** Program that writes the status line, with its words; null for the usual status line. */
  readonly statusLine: readonly string[] | null
  readonly look: UserLook
}

/** Settings of the screen that the configuration may name. */
export type UserLook = Pick<Look, 'theme' | 'isStill' | 'ambiguousWidth'>

export const usualSettings: UserSettings = {
  notify: null,
  notifications: 'auto',
  statusLine: null,
  look: { theme: 'auto', isStill: false, ambiguousWidth: 1 },
}

/** Reads the settings from this window's own server. */
async function readUserSettings(
  parley: Pick<Parley, 'request'>,
  params: Overrides & { readonly cwd: string },
): Promise<UserSettings> {
  const { values } = await parley.request('config/read', params)
  const settingAt = (key: string) => values.find((entry) => entry.key === key)?.value
  return {
    notify: wordsIn(settingAt('notify')),
    notifications: wayIn(settingAt('tui.notifications')),
    statusLine: wordsIn(settingAt('tui.status_line')),
    look: {
      theme: themeNames.find((name) => name === settingAt('tui.theme')) ?? usualSettings.look.theme,
      isStill: settingAt('tui.reduced_motion') === true,
      ambiguousWidth: settingAt('tui.ambiguous_width') === 2 ? 2 : 1,
    },
  }
}

function wordsIn(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null
  const words = value.filter((word) => typeof word === 'string')
  return words.length === 0 ? null : words
}

function wayIn(value: unknown): NotificationWay {
  if (value === false) return 'off'
  return notificationWays.find((way) => way === value) ?? 'auto'
}
