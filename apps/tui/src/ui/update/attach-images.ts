import { foldImages, imageMark } from '@parley/presentation/composer/composer'
import { type AttachedImage, pastedImages } from '../complete/pasted-images.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import type { UiStep } from '../state/actions.ts'
import type { Composing } from '../state/composing.ts'
import { changePart, type UiState } from '../state/ui-state.ts'

/** Asks if pasted text is the paths of images that exist; until the answer the text stays as it was pasted. */
export function askForImages(before: UiState, step: UiStep, event: KeyEvent): UiStep {
  const { ui } = step
  const isWritten = event.kind === 'paste' && ui.composing.composer.text !== before.composing.composer.text
  if (!isWritten || ui.composing.purpose.kind !== 'message' || /^!/.test(ui.composing.composer.text)) return step
  const readings = pastedImages(event.text)
  if (readings.length === 0) return step
  return { ...step, intents: [...step.intents, { kind: 'findImages', pasted: event.text, readings }] }
}

/** Puts a mark for each image in place of the pasted paths, and remembers the path of each mark. */
export function takeImages(ui: UiState, pasted: string, paths: readonly string[]): UiState {
  const images = paths.reduce(withImage, ui.composing.images)
  const marks = paths.flatMap((path) => images.find((image) => image.path === path)?.mark ?? [])
  const composer = foldImages(ui.composing.composer, pasted, marks)
  return composer === null ? ui : changePart(ui, 'composing', { composer, images })
}

function withImage(images: readonly AttachedImage[], path: string): readonly AttachedImage[] {
  if (images.some((image) => image.path === path)) return images
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isUsed = (mark: string) => images.some((image) => image.mark === mark)
  let mark = imageMark(name, 1)
  for (let number = 2; isUsed(mark); number++) mark = imageMark(name, number)
  return [...images, { mark, path }]
}

/** Returns the images with their marks in the text. */
export function imagesIn(text: string, { images }: Composing): readonly string[] {
  return images.filter(({ mark }) => text.includes(mark)).map(({ path }) => path)
}
