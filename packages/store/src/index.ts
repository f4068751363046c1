export { type StoreAddress, UnusableStoreError } from './connection/connect-store.ts'
export { openStore } from './open-store.ts'
export {
  HeldElsewhereError,
  type Holder,
  type LocalCopy,
  type SharedStore,
  type Shipment,
  type StoredRow,
} from './port/shared-store.ts'
