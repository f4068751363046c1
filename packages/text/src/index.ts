export { clipForModel, firstBytes, utf8Length } from './clip.ts'
export { closest, editDistance } from './closest-word.ts'
