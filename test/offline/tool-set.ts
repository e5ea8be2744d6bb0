// Fourteen tools as a user might have them: the demo tools of the command line and nine of other kinds.
import type { ToolSpec } from '../../src/conversation/request.js'
import type { JsonObject } from '../../src/json/types.js'
import { calculatorTool, clockTool } from '../../src/offline/index.js'

const define = (name: string, description: string, properties: JsonObject, required: readonly string[]): ToolSpec => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
})
const text = (description: string): JsonObject => ({ type: 'string', description })

export const toolSet: readonly ToolSpec[] = [
  clockTool(() => 0).spec,
  calculatorTool.spec,
  define(
    'read_file',
    'Reads a text file below the working directory.',
    { path: text('Path of the file, relative to the working directory') },
    ['path'],
  ),
  define(
    'list_files',
    'Lists the files and folders of a directory below the working directory.',
    { path: text('Directory, relative to the working directory; the working directory itself when left out') },
    [],
  ),
  define('http_get', 'Fetches a web page or a JSON document by its URL.', { url: text('The http or https URL') }, [
    'url',
  ]),
  define(
    'get_weather',
    'Get the current weather or the forecast for a city.',
    {
      city: text('Name of the city'),
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      date: text('Day of the forecast, today when left out'),
    },
    ['city'],
  ),
  define(
    'send_email',
    'Sends an email message to one recipient.',
    { to: text('Email address of the recipient'), subject: text('Subject line'), body: text('Text of the message') },
    ['to', 'body'],
  ),
  define(
    'create_event',
    'Adds an event or meeting to the calendar.',
    {
      title: text('What the event is'),
      date: text('Day of the event, YYYY-MM-DD or in words'),
      time: text('Start time, HH:MM in 24 hours'),
      attendees: { type: 'array', items: { type: 'string' }, description: 'People who are invited' },
    },
    ['title', 'date'],
  ),
  define(
    'add_todo',
    'Adds a task to the todo list, to be reminded of it.',
    {
      task: text('What is to be done'),
      priority: { type: 'string', enum: ['low', 'medium', 'high'] },
      due: text('Day when it is due'),
    },
    ['task'],
  ),
  define(
    'convert_currency',
    'Converts an amount of money from one currency to another.',
    {
      amount: { type: 'number', description: 'Amount of money' },
      from_currency: text('Currency code to convert from'),
      to_currency: text('Currency code to convert to'),
    },
    ['amount', 'from_currency', 'to_currency'],
  ),
  define(
    'search_web',
    'Searches the web and returns the best results.',
    {
      query: text('Search terms'),
      count: { type: 'integer', description: 'Number of results', minimum: 1, maximum: 50 },
    },
    ['query'],
  ),
  define(
    'translate',
    'Translates text into another language.',
    { text: text('Text to translate'), target_language: text('Language to translate into') },
    ['text', 'target_language'],
  ),
  define(
    'set_light',
    'Turns the light of a room on or off, or dims it.',
    {
      room: { type: 'string', enum: ['kitchen', 'bedroom', 'living_room', 'bathroom'] },
      state: { type: 'string', enum: ['on', 'off'] },
      brightness: { type: 'integer', description: 'Brightness in percent', minimum: 0, maximum: 100 },
    },
    ['room'],
  ),
  define(
    'play_music',
    'Plays a song or album, optionally of an artist.',
    {
      song: text('Name of the song or album'),
      artist: text('Name of the artist'),
      shuffle: { type: 'boolean', description: 'Play in random order' },
    },
    ['song'],
  ),
]
