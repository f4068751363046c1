import { readdirSync, readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'

const gh = ['gh', 'p_', 'A9bC8dE7fG6hI5jK4lM3nO2pQ1rS0tU9vW8x'].join('')
const own = 'Zq7-own+value/of&this'
const env = { PATH: process.env['PATH'], SHOP_TOKEN: own, HOME: process.env['HOME'] }
const free = { sandbox: 'danger-full-access' } as const
/** pieces of 14+ */
function pieces(text: string, s: string) { for (let n = s.length; n >= 14; n--) if (text.includes(s.slice(0, n)) || text.includes(s.slice(-n))) return `${n}/${s.length} ` + s.slice(0,4); return null }
function report(label: string, root: string, events: unknown, requests: unknown) {
  const files = readdirSync(join(root, '.parley'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
  for (const s of [gh, own]) {
    for (const f of files) { const p = pieces(f.name + readFileSync(join(f.parentPath, f.name), 'latin1'), s); if (p) console.log(label, 'DISK', f.name, p) }
    const a = pieces(JSON.stringify(events), s); if (a) { console.log(label, 'EVENTS', a); const t = JSON.stringify(events); const i = t.indexOf(s.slice(0, 14)); console.log(t.slice(Math.max(0,i-300), i+80)) }
    const b = pieces(JSON.stringify(requests), s); if (b) console.log(label, 'MODEL', b)
  }
}
async function run(label: string, calls: any, before = (p: any) => {}, params: any = free) {
  await using place = testPlace()
  before(place)
  const model = scriptedModel(...(Array.isArray(calls) ? calls : [{ calls: [calls] }]), { text: 'ok' })
  const { watched, server } = await place.talk({ model, env }, params)
  await watched.send('go')
  await watched.turnEnded()
  await server.close()
  report(label, place.root, watched.events, model.requests)
  return watched
}
it('readfile cut', async () => { await run('readfile', { name: 'read_file', args: { path: 'a' } }, (p) => p.write('a', 'x'.repeat(1975) + ' ' + gh + '\n')) })
it('readfile cut own', async () => { await run('readfileown', { name: 'read_file', args: { path: 'a' } }, (p) => p.write('a', 'x'.repeat(1983) + ' ' + own + '\n')) })
it('search cut', async () => { await run('search', { name: 'search', args: { pattern: 'xxxx' } }, (p) => p.write('a', 'x'.repeat(475) + ' ' + gh + ' '+ 'y'.repeat(900)+'\n')) })
it('bad json', async () => { await run('badjson', { name: 'shell', args: '{' + 'x'.repeat(175) + ' ' + gh }) })
it('titles', async () => { for (const n of [20, 50, 60, 70, 90, 110, 170, 180, 190, 470, 480]) await run('title' + n, { name: 'shell', args: { command: 'echo ' + 'x'.repeat(n) + ' ' + gh + ' ' + own } }) })
it('filenames', async () => { await run('names', [{ calls: [{ name: 'list_dir', args: { path: '.' } }, { name: 'read_file', args: { path: gh } }, { name: 'read_file', args: { path: gh.slice(0, -1) } }, { name: 'search', args: { pattern: 'he' } }] }, { calls: [{ name: 'apply_patch', args: { patch: `*** Begin Patch\n*** Update File: ${gh}\n@@\n-hello\n+world\n*** Add File: x/${gh}.txt\n+a\n*** End Patch` } }] }], (p) => p.write(gh, 'hello\n')) })
it('patchmiss', async () => { for (const n of [60, 80, 100, 130, 170]) await run('patchmiss' + n, { name: 'apply_patch', args: { patch: `*** Begin Patch\n*** Update File: f\n@@\n-${'x'.repeat(n)} hello\n+world\n*** End Patch` } }, (p) => p.write('f', 'x'.repeat(n) + ' ' + gh + '\n')) })
it('plan', async () => { await run('plan', { name: 'update_plan', args: { explanation: gh, plan: [{ step: own + gh, status: 'in_progress' }] } }) })
it('branch', async () => { await run('branch', { name: 'shell', args: { command: 'git status' } }, (p) => { execFileSync('git', ['init', '-q', '-b', 'feat/' + gh], { cwd: p.cwd }); p.write('AGENTS.md', gh) }) })
it('cwd', async () => {
  await using place = testPlace()
  const dir = join(place.root, gh); mkdirSync(dir)
  writeFileSync(join(dir, 'f'), 'hello\n')
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'pwd; cat f' } }, { name: 'read_file', args: { path: 'f' } }] }, { calls: [{ name: 'apply_patch', args: { patch: `*** Begin Patch\n*** Update File: f\n@@\n-hello\n+world\n*** End Patch` } }] })
  const { watched, server } = await place.talk({ model, env }, { ...free, cwd: dir } as any)
  await watched.send('go')
  await watched.turnEnded()
  for (const i of watched.items()) console.log('CWD', i.type, i.status, (i as any).modelText, i.title)
  await server.close()
  report('cwd', place.root, watched.events, model.requests)
  console.log(JSON.stringify(model.requests[0]).match(/.{80}cwd.{200}/)?.[0])
})
