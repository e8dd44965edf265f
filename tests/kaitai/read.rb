# ruby read.rb FOLDER: for each line [class, hex] of the input a line of what the class in FOLDER reads, or its error.
require 'json'

folder = ARGV.fetch(0)
begin
  require 'kaitai/struct/struct'
rescue LoadError
  $LOAD_PATH.push(File.join(__dir__, 'ruby'))
end

# The number that stands for an enumeration's word: each enumeration has a constant of words and their numbers.
def number_of(word, top)
  tables = top.constants.map { |name| top.const_get(name) }.grep(Hash)
  tables.filter_map { |table| table[word] }.first
end

def plain(value, top)
  case value
  when String then value.encoding == Encoding::BINARY ? value.unpack1('H*') : value
  when Array then value.map { |each| plain(each, top) }
  when Symbol then number_of(value, top)
  when Kaitai::Struct::Struct then fields(value, top)
  else value
  end
end

def fields(value, top)
  names = value.instance_variables.map { |name| name.to_s.delete_prefix('@').to_sym }
  names |= value.class.public_instance_methods(false)
  names.reject! { |name| name.start_with?('_') || !value.respond_to?(name) }
  names.to_h { |name| [name, plain(value.public_send(name), top)] }.compact
end

def answer(folder, name, hex)
  require File.join(folder, name.gsub(/(?<!^)(?=[A-Z])/, '_').downcase)
  top = Object.const_get(name)
  { read: fields(top.new(Kaitai::Struct::Stream.new([hex].pack('H*'))), top) }
rescue EOFError, EncodingError, Kaitai::Struct::ValidationFailedError => e
  { error: "#{e.class}: #{e.message}" }
end

$stdin.each_line { |line| puts JSON.generate(answer(File.expand_path(folder), *JSON.parse(line))) }
