// From a place to its time zone. The zones and their cities come from the platform; the table adds well-known places that no
// zone is named after.

const otherPlaces: readonly (readonly [zone: string, places: string])[] = [
  ['America/New_York', 'boston|washington|philadelphia|miami|atlanta|nyc|new york city|eastern time'],
  ['America/Chicago', 'houston|dallas|austin|minneapolis|new orleans|central time'],
  ['America/Los_Angeles', 'san francisco|seattle|san diego|las vegas|portland|california|pacific time'],
  ['America/Toronto', 'ottawa|montreal'],
  ['America/Sao_Paulo', 'rio de janeiro|brasilia|brazil'],
  ['Asia/Kolkata', 'mumbai|delhi|new delhi|bangalore|chennai|hyderabad|india'],
  ['Asia/Shanghai', 'beijing|shenzhen|guangzhou|china'],
  ['Asia/Tokyo', 'osaka|kyoto|japan'],
  ['Asia/Seoul', 'korea|south korea'],
  ['Asia/Dubai', 'abu dhabi|emirates'],
  ['Asia/Jerusalem', 'tel aviv|israel'],
  ['Asia/Ho_Chi_Minh', 'hanoi|vietnam'],
  ['Australia/Sydney', 'canberra'],
  ['Africa/Johannesburg', 'cape town|south africa'],
  ['Europe/Berlin', 'munich|hamburg|cologne|frankfurt|germany'],
  ['Europe/London', 'edinburgh|manchester|uk|united kingdom|england|britain'],
  ['Europe/Madrid', 'barcelona|spain'],
  ['Europe/Paris', 'lyon|marseille|france'],
  ['Europe/Rome', 'milan|naples|florence|venice|italy'],
  ['Europe/Zurich', 'geneva|bern|basel|switzerland'],
  ['Europe/Istanbul', 'ankara|turkey'],
  ['Europe/Kyiv', 'kiev|ukraine'],
  ['Europe/Amsterdam', 'rotterdam|the hague|netherlands'],
  ['UTC', 'utc|gmt|greenwich|zulu'],
]

let known: ReadonlyMap<string, string> | undefined

/** The IANA time zone of a city, a country with one zone, or a zone's own name; undefined when none is known. */
export function timeZoneOf(place: string): string | undefined {
  known ??= new Map(zoneEntries())
  const name = plain(place)
  return known.get(name) ?? known.get(plain(place.split(',')[0] ?? '')) ?? acceptedZone(place.trim())
}

function* zoneEntries(): Generator<[string, string]> {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    yield [plain(zone), zone]
    yield [plain(zone.split('/').at(-1) ?? zone), zone]
  }
  for (const [zone, places] of otherPlaces) for (const place of places.split('|')) yield [place, zone]
}

/** Older names of zones are accepted by the platform but not listed by it. */
function acceptedZone(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Lower case without accents, spaces for underscores. */
function plain(place: string): string {
  return place
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .toLowerCase()
}
