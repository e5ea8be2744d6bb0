// Host names: RFC 1123, and internationalized ones by IDNA 2008 (RFC 5890 to 5893).
// The classes of characters come from the runtime's Unicode tables. Directions and joining types are not among them: they are derived
// from scripts here, which is right for letters of the scripts in use.
import { decodePunycode, encodePunycode } from './punycode.js'

const longestName = 253
const longestLabel = 63

export function isHostname(text: string): boolean {
  if (text.length > longestName) return false
  const labels = text.split('.')
  return labels.every(isAsciiLabel) && isBidiName(labels.map(unicodeLabel))
}

/** Full stops of other scripts separate labels too. */
export function isIdnHostname(text: string): boolean {
  if (text.length > longestName) return false
  const labels = text.split(/[.\u3002\uff0e\uff61]/)
  const isFit = (label: string): boolean =>
    isAscii(label) ? isAsciiLabel(label) && !isReserved(label) : isUnicodeLabel(label)
  if (!labels.every(isFit) || !isBidiName(labels.map(unicodeLabel))) return false
  const encoded = labels.map((label) => (isAscii(label) ? label : `xn--${encodePunycode(label)}`))
  return encoded.every((label) => label.length <= longestLabel) && encoded.join('.').length <= longestName
}

const asciiLabel = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/

function isAsciiLabel(label: string): boolean {
  if (label.length > longestLabel || !asciiLabel.test(label)) return false
  if (!isEncoded(label)) return true
  const decoded = decodePunycode(label.slice(4).toLowerCase())
  if (decoded === undefined || isAscii(decoded) || !isUnicodeLabel(decoded)) return false
  return encodePunycode(decoded) === label.slice(4).toLowerCase()
}

function isEncoded(label: string): boolean {
  return label.slice(0, 4).toLowerCase() === 'xn--'
}

/** Two dashes there announce an encoding, and only `xn--` is one. */
function isReserved(label: string): boolean {
  return label.slice(2, 4) === '--' && !isEncoded(label)
}

function isAscii(label: string): boolean {
  return !/[^\0-\x7f]/.test(label)
}

function unicodeLabel(label: string): string {
  return isEncoded(label) ? (decodePunycode(label.slice(4).toLowerCase()) ?? label) : label
}

/** Characters that are allowed or not whatever their class says (RFC 5892, section 2.6). */
const allowed = /[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]/u
const forbidden =
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\p{Default_Ignorable_Code_Point}/u
const letterOrDigit = /[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]/u
const dependsOnContext = /[\u00b7\u0375\u05f3\u05f4\u200c\u30fb]|\u200d/u

function isUnicodeLabel(label: string): boolean {
  if (label.length > longestLabel || label.normalize('NFC') !== label) return false
  if (label.startsWith('-') || label.endsWith('-') || label.slice(2, 4) === '--' || /^\p{M}/u.test(label)) return false
  for (const character of label) if (!isAllowed(character)) return false
  return isFitInContext(label)
}

function isAllowed(character: string): boolean {
  if (allowed.test(character) || dependsOnContext.test(character)) return true
  if (forbidden.test(character) || !letterOrDigit.test(character)) return false
  const folded = character.normalize('NFKC').toLowerCase().normalize('NFKC')
  return folded === character
}

/** What certain characters need around them (RFC 5892, appendix A). */
const contexts: readonly (readonly [character: RegExp, fits: RegExp])[] = [
  [/\u00b7/gu, /(?<=l)\u00b7(?=l)/gu],
  [/\u0375/gu, /\u0375(?=\p{Script=Greek})/gu],
  [/[\u05f3\u05f4]/gu, /(?<=\p{Script=Hebrew})[\u05f3\u05f4]/gu],
  [/\u200d/gu, /(?<=VIRAMA)\u200d/gu],
  [/\u200c/gu, /(?<=VIRAMA)\u200c|(?<=JOINS)\u200c(?=LETTER)/gu],
].map(([character = /x/, fits = /x/]) => [character, withClasses(fits)])

function withClasses(pattern: RegExp): RegExp {
  const scripts = '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Nko}\\p{Script=Mandaic}'
  // Letters of Arabic that never join the letter after them.
  const apart =
    '\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06d2\\u06d3\\u06d5'
  const virama =
    '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0e3a\\u0f84\\u1039\\u103a\\u1714\\u1734\\u17d2\\u1a60\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed]'
  const source = pattern.source
    .replaceAll('VIRAMA', virama)
    .replaceAll('JOINS', `(?![${apart}])[${scripts}]\\p{Mn}*`)
    .replaceAll('LETTER', `\\p{Mn}*[${scripts}]`)
  return new RegExp(source, 'gu')
}

function isFitInContext(label: string): boolean {
  for (const [character, fits] of contexts) {
    if ((label.match(character)?.length ?? 0) !== (label.match(fits)?.length ?? 0)) return false
  }
  if (label.includes('\u30fb') && !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(label)) return false
  return !(/[\u0660-\u0669]/.test(label) && /[\u06f0-\u06f9]/.test(label))
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u
const arabicDigit = /[\u0660-\u0669]/
const europeanDigit = /[0-9\u06f0-\u06f9]/

/** Whether the directions of a name can be told apart (RFC 5893). Only names with a label from right to left have a rule. */
function isBidiName(labels: readonly string[]): boolean {
  return !labels.some(isRightToLeft) || labels.every(isBidiLabel)
}

function isRightToLeft(label: string): boolean {
  for (const character of label) if (isRight(character) || arabicDigit.test(character)) return true
  return false
}

function isRight(character: string): boolean {
  return rightToLeft.test(character) && !/\p{M}|\p{Nd}/u.test(character)
}

function isBidiLabel(label: string): boolean {
  const characters = Array.from(label)
  const [first = ''] = characters
  const last = characters.findLast((character) => !/\p{Mn}/u.test(character)) ?? ''
  const isLeft = (character: string): boolean => /\p{L}/u.test(character) && !isRight(character)
  if (isRight(first)) {
    const isMixed = arabicDigit.test(label) && europeanDigit.test(label)
    const endsWell = isRight(last) || arabicDigit.test(last) || europeanDigit.test(last)
    return endsWell && !isMixed && !characters.some(isLeft)
  }
  const endsWell = isLeft(last) || europeanDigit.test(last)
  return isLeft(first) && endsWell && !isRightToLeft(label)
}
