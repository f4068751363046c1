export { type StoreAddress, UnusableStoreError } from './connection/connect-store.ts'
export type { OpeningWait } from './connection/while-electing.ts'
export { openStore } from './open-store.ts'
