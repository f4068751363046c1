export { clipForModel } from './clip-output.ts'
export { closest, editDistance } from './closest-word.ts'

export { firstBytes, utf8Length } from './utf8.ts'
