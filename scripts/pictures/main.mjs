/**
 * Draws scenes of the terminal from real runs: the built program on a pty, a scripted model over HTTP. `npm run
 * pictures` draws the pictures of the README into docs/pictures. `npm run pictures -- --out FOLDER` draws all scenes at
 * all sizes and in all themes; `--scene NAME`, `--size 80x24` and `--theme NAME` choose some.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { scenes } from './scenes.mjs'
import { drawSvg } from './svg.mjs'
import { playScene } from './terminal.mjs'
import { themes } from './themes.mjs'

const sizes = ['80x24', '120x40', '200x60', '40x15']
const inReadme = [
  { scene: 'transcript', size: '100x44' },
  { scene: 'question', size: '100x24' },
  { scene: 'resume', size: '100x30' },
].map((chosen) => ({ ...chosen, theme: 'dark' }))

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    scene: { type: 'string', multiple: true, default: Object.keys(scenes) },
    size: { type: 'string', multiple: true, default: sizes },
    theme: { type: 'string', multiple: true, default: Object.keys(themes) },
  },
})

const folder = values.out ?? join(import.meta.dirname, '../../docs/pictures')
const chosen = values.out === undefined ? inReadme : combinations(values)

mkdirSync(folder, { recursive: true })
for (const picture of chosen) await draw(picture)

function combinations({ scene, size, theme }) {
  return scene.flatMap((scene) => size.flatMap((size) => theme.map((theme) => ({ scene, size, theme }))))
}

/** Draws one picture; a scene that cannot be played is said, and the others go on. */
async function draw({ scene, size, theme }) {
  const [cols, rows] = size.split('x').map(Number)
  const name = values.out === undefined ? scene : `${scene}-${size}-${theme}`
  try {
    const screen = await playScene(scenes[scene], { cols, rows, theme: themes[theme] })
    const drawing = { cols, theme: themes[theme], about: scenes[scene].about }
    writeFileSync(join(folder, `${name}.svg`), drawSvg(screen, drawing))
    console.log(`${name}.svg`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${name}: ${error.message}`)
  }
}
