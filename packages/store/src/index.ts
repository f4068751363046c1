export { type StoreAddress, UnusableStoreError } from './connection/connect-store.ts'
export { createTurns } from './connection/turns.ts'
export type { OpeningWait } from './connection/while-electing.ts'
export { openStore } from './open-store.ts'
export {
  type BadFile,
  type Comparison,
  type Extent,
  type FileContents,
  HeldElsewhereError,
  type Holder,
  type LocalCopy,
  type SharedAnswers,
  type SharedStore,
  type Shipment,
  type StoredRow,
  type TakenKind,
} from './port/shared-store.ts'
