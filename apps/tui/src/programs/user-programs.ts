import type { Parley } from '@parley/client'
import type { Overrides } from '@parley/protocol'
import { notificationSequence } from '../terminal/notification.ts'
import type { Telling } from '../view/title-and-bell.ts'
import { notifyUser } from './notify.ts'
import { readUserSettings, type UserSettings, usualSettings } from './user-settings.ts'

/** Window title, and what to tell; null for what does not change. */
interface Signal {
  readonly title: string | null
  readonly telling: Telling | null
}

interface ProgramsParts {
  readonly env: NodeJS.ProcessEnv
  readonly write: (text: string) => void
  /** Shows a warning. */
  readonly warn: (text: string) => void
}

/** Reactions around the window that the user's configuration wants: notifications, and programs of the user's own. */
export class UserPrograms {
  readonly #parts: ProgramsParts
  #settings: UserSettings = usualSettings
  #hasWarned = false

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** Reads the settings from this window's own server; the usual ones count until then. */
  async load(parley: Pick<Parley, 'request'>, params: Overrides & { readonly cwd: string }): Promise<void> {
    this.#settings = await readUserSettings(parley, params)
  }

  /** Sets the window's title, and notifies in the user's way. */
  signal({ title, telling }: Signal): void {
    const { env, write } = this.#parts
    if (title !== null) write(`\x1b]2;${title}\x07`)
    if (telling === null) return
    const { notifications, notify } = this.#settings
    write(notificationSequence(notifications, telling, env))
    if (notify !== null) void this.#run(notify, telling)
  }

  async #run(argv: readonly string[], telling: Telling): Promise<void> {
    const reason = await notifyUser(argv, telling, this.#parts.env)
    if (reason === null || this.#hasWarned) return
    this.#hasWarned = true
    this.#parts.warn(`The program of \`notify\` in config.toml failed (${argv[0]}): ${reason}`)
  }
}
