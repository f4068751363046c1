export { base64Of, utf8Bytes } from './base64.ts'
export { clipForModel } from './clip.ts'
export { closest, editDistance } from './closest-word.ts'
export { characterEnd, characterStart, firstBytes, lastBytes, utf8Length } from './utf8.ts'
