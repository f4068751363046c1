/** PNG of 2 × 3 pixels, whole as each API wants it. */
export const smallPng: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR42mMQaPgARAwoFABZVQkBksOowgAAAABJRU5ErkJggg==',
  'base64',
)

/** GIF of one pixel. */
export const smallGif: Buffer = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
