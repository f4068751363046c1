/** Files of the project that scenes play in: a cache that keeps misses, and a test that shows it. */
export const files = {
  'package.json': `${JSON.stringify({ name: 'tenants', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'src/cache.js': `import { load } from './store.js'

const cache = new Map()

export async function tenant(id) {
  if (cache.has(id)) return cache.get(id)
  const row = await load(id)
  cache.set(id, row)
  return row
}

export function size() {
  return cache.size
}
`,
  'src/store.js': `const rows = new Map([['a', { id: 'a', plan: 'free' }]])

/** Resolves to a tenant's row, or to undefined. */
export async function load(id) {
  return rows.get(id)
}
`,
  'src/cache.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { size, tenant } from './cache.js'

test('a tenant is kept', async () => {
  await tenant('a')
  assert.equal(size(), 1)
})

test('a missing tenant is not kept', async () => {
  await tenant('nobody')
  assert.equal(size(), 1)
})
`,
  'docs/notes.md': '# Notes\n\nThe cache keeps every tenant for ever.\n',
  'src/old.js': 'export const unused = true\n',
}

/** Patch that repairs it. */
export const patch = `*** Begin Patch
*** Update File: src/cache.js
@@
-const cache = new Map()
+import { BoundedMap } from './bounded-map.js'
+
+const cache = new BoundedMap(10_000)
 
 export async function tenant(id) {
   if (cache.has(id)) return cache.get(id)
   const row = await load(id)
-  cache.set(id, row)
+  if (row) cache.set(id, row)
   return row
 }
*** Add File: src/bounded-map.js
+/** Map that forgets its oldest entry when it is full. */
+export class BoundedMap extends Map {
+  constructor(limit) {
+    super()
+    this.limit = limit
+  }
+
+  set(key, value) {
+    if (this.size >= this.limit) this.delete(this.keys().next().value)
+    return super.set(key, value)
+  }
+}
*** Delete File: src/old.js
*** Update File: docs/notes.md
*** Move to: docs/cache.md
@@
-The cache keeps every tenant for ever.
+The cache keeps 10,000 tenants, and no misses.
*** End Patch`
