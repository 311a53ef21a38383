//! Typed values out of the tree. The methods are made anew for each type that is read, so what they do is in functions
//! that are not.

use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::error::{Error, What};
use crate::node::{Kind, Name, Node, Place};
use crate::resolve;

impl Node {
    fn wrong(&self, message: &str) -> Error {
        Error::new(self.place, What::Type(message.to_owned()))
    }

    fn scalar_text(&self) -> Result<&str, Error> {
        match &self.kind {
            Kind::Scalar(scalar) => Ok(&scalar.text),
            _ => Err(self.wrong("expected string scalar")),
        }
    }

    fn text(&self) -> Result<&str, Error> {
        if self.is_null() {
            return Err(self.wrong("nothing stands where text is expected"));
        }
        self.scalar_text()
    }

    fn flag(&self) -> Result<bool, Error> {
        resolve::flag(self.scalar_text()?).ok_or_else(|| self.wrong("invalid boolean"))
    }

    fn float(&self) -> Result<f64, Error> {
        resolve::float(self.scalar_text()?).ok_or_else(|| self.wrong("invalid floating point"))
    }

    fn whole(&self, sort: &str) -> Result<i128, Error> {
        resolve::whole(self.scalar_text()?).ok_or_else(|| self.out_of_range(sort))
    }

    fn out_of_range(&self, sort: &str) -> Error {
        self.wrong(&format!("invalid {sort}"))
    }

    /// Nothing is an empty list.
    fn list(&self) -> Result<&[Node], Error> {
        match &self.kind {
            Kind::List(list) => Ok(list),
            _ if self.is_null() => Ok(&[]),
            _ => Err(self.wrong("expected sequence start")),
        }
    }

    /// Nothing is an empty map.
    fn map(&self) -> Result<&[(Name, Node)], Error> {
        match &self.kind {
            Kind::Map(map) => Ok(map),
            _ if self.is_null() => Ok(&[]),
            _ => Err(self.wrong("expected mapping start")),
        }
    }

    /// `variant`, or `{variant: what it holds}`.
    fn variant(&self) -> Result<Variant<'_>, Error> {
        match &self.kind {
            Kind::Scalar(scalar) => Ok(Variant {
                place: self.place,
                name: &scalar.text,
                payload: None,
            }),
            Kind::Map(map) => match map.as_slice() {
                [(name, node)] => Ok(Variant {
                    place: name.place,
                    name: &name.text,
                    payload: Some(node),
                }),
                _ => Err(self.wrong("expected one name with what it holds")),
            },
            Kind::List(_) => Err(self.wrong("externally tagged enum expected scalar or mapping")),
        }
    }
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident $sort:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let sort = stringify!($sort);
            let number = self.whole(sort)?;
            visitor.$visit($sort::try_from(number).map_err(|_| self.out_of_range(sort))?)
        }
    )*};
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::List(list) => visitor.visit_seq(Items(list.iter())),
            Kind::Map(map) => visitor.visit_map(Entries::of(map)),
            Kind::Scalar(scalar) => match &scalar.value {
                Value::Null => visitor.visit_unit(),
                Value::Bool(flag) => visitor.visit_bool(*flag),
                Value::Number(number) => {
                    if let Some(number) = number.as_u64() {
                        visitor.visit_u64(number)
                    } else if let Some(number) = number.as_i64() {
                        visitor.visit_i64(number)
                    } else {
                        visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
                    }
                }
                _ => visitor.visit_borrowed_str(&scalar.text),
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.flag()?)
    }

    whole_numbers! {
        deserialize_i8 visit_i8 i8
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
        deserialize_i64 visit_i64 i64
        deserialize_u8 visit_u8 u8
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_u64 visit_u64 u64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Items(self.list()?.iter()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Entries::of(self.map()?))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.variant()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

struct Items<'a>(slice::Iter<'a, Node>);

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|node| read(seed, node)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'a> {
    left: slice::Iter<'a, (Name, Node)>,
    value: Option<&'a Node>,
}

impl<'a> Entries<'a> {
    fn of(map: &'a [(Name, Node)]) -> Self {
        Self {
            left: map.iter(),
            value: None,
        }
    }

    fn next(&mut self) -> Option<&'a Name> {
        let (name, value) = self.left.next()?;
        self.value = Some(value);
        Some(name)
    }
}

impl<'a> MapAccess<'a> for Entries<'a> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(name) = self.next() else {
            return Ok(None);
        };
        let key = seed.deserialize(word(&name.text));
        key.map(Some).map_err(|error| error.at(name.place))
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Error> {
        match self.value.take() {
            Some(node) => read(seed, node),
            None => Err(serde::de::Error::custom("value requested before key")),
        }
    }
}

struct Variant<'a> {
    place: Place,
    name: &'a str,
    payload: Option<&'a Node>,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        match seed.deserialize(word(self.name)) {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(error.at(self.place)),
        }
    }
}

impl<'a> Variant<'a> {
    fn payload(self) -> Result<&'a Node, Error> {
        let message = format!("'{}' stands without what it holds", self.name);
        self.payload
            .ok_or_else(|| Error::new(self.place, What::Type(message)))
    }
}

impl<'a> VariantAccess<'a> for Variant<'a> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.payload {
            Some(node) if !node.is_null() => {
                Err(node.wrong("unexpected value for unit enum variant"))
            }
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Error> {
        read(seed, self.payload()?)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.payload()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.payload()?.deserialize_map(visitor)
    }
}

fn read<'a, T: DeserializeSeed<'a>>(seed: T, node: &'a Node) -> Result<T::Value, Error> {
    seed.deserialize(node).map_err(|error| error.at(node.place))
}

fn word(text: &str) -> StrDeserializer<'_, Error> {
    text.into_deserializer()
}
