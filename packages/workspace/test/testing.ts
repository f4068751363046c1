export { patchOf, plansOf, readTree } from './patch/patch-run.ts'
