import type { ThemeName } from '@parley/presentation/commands/setting-choices'
import type { Ground, Tone } from '@parley/presentation/text/span'

/** Red, green and blue, each 0-255. */
export type Rgb = readonly [number, number, number]

/** Colours that the terminal shows: `none` where NO_COLOR is set, its palette of 16, or 24-bit colours besides. */
export type ColourDepth = 'none' | 'sixteen' | 'true'

/** SGR parameters of each role, empty for a role that looks like plain text. */
export interface Theme {
  readonly tones: Readonly<Record<Tone, string>>
  readonly grounds: Readonly<Record<Ground, string>>
  /** True if grounds are backgrounds; otherwise they colour the text, and code on them has no colours of its own. */
  readonly hasTints: boolean
}

interface ThemeChoice {
  readonly name: ThemeName
  /** Background of the terminal; null if the terminal has not told it. */
  readonly background: Rgb | null
  readonly depth: ColourDepth
}

/** Colours of the terminal's own palette, which fit its background; muted is dim, which no palette hides. */
const tones: Theme['tones'] = {
  accent: '36',
  brand: '36',
  good: '32',
  bad: '31',
  warn: '33',
  muted: '2',
  heading: '',
  'code-comment': '2',
  'code-string': '32',
  'code-keyword': '35',
  'code-number': '33',
}

const inkGrounds: Theme['grounds'] = { band: '', added: '32', removed: '31', addedWord: '1;32', removedWord: '1;31' }

export const ansiTheme: Theme = { tones, grounds: inkGrounds, hasTints: false }

const colourless: Theme = {
  tones: {
    ...{ accent: '', brand: '', good: '', bad: '', warn: '', muted: '2', heading: '' },
    ...{ 'code-comment': '2', 'code-string': '', 'code-keyword': '', 'code-number': '' },
  },
  grounds: { band: '', added: '', removed: '', addedWord: '1', removedWord: '1' },
  hasTints: false,
}

const highContrast: Theme = {
  tones: { ...tones, muted: '', heading: '4', 'code-comment': '3' },
  grounds: { band: '7', added: '32', removed: '31', addedWord: '7;32', removedWord: '7;31' },
  hasTints: false,
}

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const green: Rgb = [46, 160, 67]
const red: Rgb = [229, 72, 77]
const usualDark: Rgb = [24, 24, 24]
/** Text on a light and on a dark ground. */
const inks: Readonly<Record<'light' | 'dark', Rgb>> = { light: [36, 36, 36], dark: [222, 222, 222] }

/** Returns the theme of this name for a terminal of this kind. */
export function themeOf({ name, background, depth }: ThemeChoice): Theme {
  if (depth === 'none') return colourless
  if (name === 'high-contrast') return highContrast
  const isPlain = name === 'ansi' || depth === 'sixteen'
  if (name === 'auto') return background === null || isPlain ? shaded(background) : tinted(background)
  const isKnown = background !== null && isLight(background) === (name === 'light')
  const ground = isKnown ? background : name === 'light' ? white : usualDark
  if (isPlain) return shaded(name === 'ansi' ? background : ground)
  return isKnown ? tinted(ground) : withInk(tinted(ground), inks[name === 'light' ? 'light' : 'dark'])
}

/** Returns the palette's colours; yellow is hard to read on a light background, so numbers are blue there. */
function shaded(background: Rgb | null): Theme {
  if (background === null || !isLight(background)) return ansiTheme
  return { ...ansiTheme, tones: { ...tones, 'code-number': '34' } }
}

/** Returns the palette's colours with faint backgrounds derived from the terminal's own. */
function tinted(background: Rgb): Theme {
  const isBright = isLight(background)
  const mix = (colour: Rgb, share: number) => `48;2;${mixed(background, colour, share).join(';')}`
  const grounds = {
    band: mix(isBright ? black : white, isBright ? 0.06 : 0.1),
    added: mix(green, isBright ? 0.16 : 0.2),
    removed: mix(red, isBright ? 0.14 : 0.2),
    addedWord: mix(green, isBright ? 0.38 : 0.48),
    removedWord: mix(red, isBright ? 0.34 : 0.48),
  }
  return { tones: shaded(background).tones, grounds, hasTints: true }
}

/** Gives the text on grounds a colour of its own: the terminal's colour may fit the other kind of background only. */
function withInk(theme: Theme, ink: Rgb): Theme {
  const inked = (ground: string) => `${ground};38;2;${ink.join(';')}`
  const { band, added, removed, addedWord, removedWord } = theme.grounds
  const grounds = {
    band: inked(band),
    added: inked(added),
    removed: inked(removed),
    addedWord: inked(addedWord),
    removedWord: inked(removedWord),
  }
  return { ...theme, grounds }
}

function mixed(base: Rgb, colour: Rgb, share: number): readonly number[] {
  return base.map((channel, index) => Math.round(channel + ((colour[index] ?? channel) - channel) * share))
}

function isLight([redPart, greenPart, bluePart]: Rgb): boolean {
  return 0.299 * redPart + 0.587 * greenPart + 0.114 * bluePart > 127
}
