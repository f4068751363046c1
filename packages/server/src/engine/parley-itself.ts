import type { Actor } from '@parley/protocol'

/** Who did what nobody asked for. */
export const parleyItself: Actor = { clientId: 'server', name: 'parley' }
