# What the parsers that Kaitai Struct makes in Ruby ask of their runtime, as far as our descriptions go. The runtime itself
# is a gem, kaitai-struct, and the tests do not install from RubyGems; one that the system has is taken instead of this.
module Kaitai
  module Struct
    VERSION = '0.11'

    # What every class that was made inherits.
    class Struct
      attr_reader :_io, :_parent, :_root

      def initialize(io, parent = nil, root = nil)
        @_io, @_parent, @_root = io, parent, root
      end
    end

    # Bytes and a place in them.
    class Stream
      attr_reader :pos

      def initialize(bytes)
        @bytes, @pos = bytes.b, 0
      end

      def size = @bytes.bytesize
      def eof? = @pos >= size
      def seek(to) = @pos = to

      def read_bytes(count)
        raise EOFError, "#{count} bytes wanted, #{size - @pos} are there" if count.negative? || count > size - @pos

        @pos += count
        @bytes.byteslice(@pos - count, count)
      end

      def read_bytes_full = read_bytes(size - @pos)
      def substream(count) = Stream.new(read_bytes(count))
      def read_u1 = read_bytes(1).unpack1('C')
      def read_u2le = read_bytes(2).unpack1('v')
      def read_u4le = read_bytes(4).unpack1('V')
      def read_u8le = read_bytes(8).unpack1('Q<')

      def read_bytes_term(last, include, consume, must)
        at = @bytes.index(last.chr.b, @pos)
        raise EOFError, "no byte #{last} up to the end" if at.nil? && must
        return read_bytes_full if at.nil?

        found = read_bytes(at - @pos + (include ? 1 : 0))
        @pos = at + (consume ? 1 : 0)
        found
      end

      def self.bytes_strip_right(bytes, pad) = bytes.sub(/#{Regexp.escape(pad.chr.b)}+\z/n, '')
      def self.resolve_enum(names, number) = names.fetch(number, number)
    end

    # A value that the description does not allow, with what the parser tells of it.
    class ValidationFailedError < StandardError
      def initialize(*told) = super(told.reject { |each| each.is_a?(Stream) }.map(&:inspect).join(', '))
    end

    %w[NotEqual LessThan GreaterThan NotAnyOf NotInEnum Expr].each do |kind|
      const_set("Validation#{kind}Error", Class.new(ValidationFailedError))
    end
  end
end
