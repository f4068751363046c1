export { clipForModel } from './clip-output.ts'
export { closest, editDistance } from './closest.ts'
export { utf8Length } from './utf8-length.ts'
export { firstBytes } from './utf8-text.ts'
