/** Workspace packages resolve to their sources in tests, so no unit test ever sees a stale build. */
export const sourceConditions = {
  resolve: { conditions: ['@parley/source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['@parley/source', 'node', 'import', 'default'] } },
}
