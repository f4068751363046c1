import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from '../bundle/places.mjs'
import { generatedFiles } from './generated-files.mjs'

const files: Map<string, string> = generatedFiles()
const page = files.get('docs/protocol/README.md') ?? ''
const schema = JSON.parse(files.get('docs/protocol/schema.json') ?? '')

describe('the generated protocol files', () => {
  it('are checked in as they are generated', async () => {
    const generator = join(root, 'scripts/generate-protocol.mjs')
    await expect(promisify(execFile)(process.execPath, [generator, '--check'])).resolves.toMatchObject({ stderr: '' })
  })

  it('are the same each time', () => {
    expect(generatedFiles()).toEqual(files)
  })

  it('leave no placeholder and no absolute path', () => {
    expect(page).not.toMatch(/\{\{|undefined|\[object/)
    for (const text of files.values()) expect(text).not.toContain(root)
  })

  it('link only to what is on the page', () => {
    const anchors = new Set([...headings(page).map(slug), ...[...page.matchAll(/<a id="(.+?)">/g)].map(([, id]) => id)])
    const links = [...page.matchAll(/\]\(#(.+?)\)/g)].map(([, target]) => target)
    expect(links.filter((target) => !anchors.has(target))).toEqual([])
  })

  it('have no two headings of one name', () => {
    const slugs = headings(page).map(slug)
    expect(slugs.filter((one, index) => slugs.indexOf(one) !== index)).toEqual([])
  })

  it('refer only to types that schema.json has', () => {
    const referred = [...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name ?? '')
    expect(referred.filter((name) => !(name in schema.$defs))).toEqual([])
  })

  it('have a section for each method, event and item, and a row for each error', () => {
    const options = [...schema.$defs.ConversationEvent.oneOf, ...schema.$defs.Item.oneOf]
    const kinds = options.map(({ $ref }) => schema.$defs[$ref.split('/').at(-1)].properties.type.const)
    for (const name of [...Object.keys(schema['x-methods']), ...kinds]) expect(page).toContain(`\n### \`${name}\`\n`)
    for (const [code, number] of Object.entries(schema['x-errors']))
      expect(page).toContain(`\n| \`${code}\` | ${number} |`)
  })

  it('say something about every type that has a section', () => {
    const silent = Object.keys(schema.$defs).filter((name) => page.includes(`\n### ${name}\n\n|`))
    expect(silent).toEqual([])
  })
})

function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title ?? '')
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
